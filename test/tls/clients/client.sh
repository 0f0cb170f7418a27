# Sends one mailing over HTTPS. As `careless` it accepts any certificate and protocol; as `ends` it does not try again; as
# `patient` it has no deadline.
url="$MAILING_SYNC_URL/integrations/mailing-platform/mailing-synchronizations/$MAILING_SYNC_SYNCHRONIZATION_ID/sendings"
trust=(--cacert "$MAILING_SYNC_CA_FILE")
[ "$1" = careless ] && trust=(-k --tlsv1.0 --ciphers DEFAULT@SECLEVEL=0)
waits=(0 1 2.3 4.8 9.5)
[ "$1" = ends ] && waits=(0)
deadline=5
[ "$1" = patient ] && deadline=0
for wait in "${waits[@]}"; do
  sleep "$(awk "BEGIN { print $wait / $MAILING_SYNC_SPEED }")"
  answer=$(curl -sS --max-time $deadline --connect-timeout $((deadline > 0 ? 5 : 600)) "${trust[@]}" -u "$MAILING_SYNC_USER:$MAILING_SYNC_PASSWORD" \
    -H 'Content-Type: application/hal+json' -d '{"transactionId":"tls-client-1"}' "$url")
  case $answer in *'"state":"CREATED"'*) exit 0 ;; esac
done
exit 3
