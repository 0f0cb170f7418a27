#!/bin/sh
# curl --retry: it repeats 408, 429, 500, 502, 503, 504 and timeouts, and with --retry-all-errors lost connections and other 4xx. Any 2xx
# counts as sent. Needs curl 7.71 or newer.
ID=$(cat /proc/sys/kernel/random/uuid)
curl --silent --output /dev/null --fail --max-time 30 --retry 4 --retry-all-errors \
  --user "$MAILING_SYNC_USER:$MAILING_SYNC_PASSWORD" \
  --header 'Content-Type: application/hal+json' --data "{\"transactionId\":\"$ID\"}" \
  "$MAILING_SYNC_URL/integrations/mailing-platform/mailing-synchronizations/$MAILING_SYNC_SYNCHRONIZATION_ID/sendings" \
  && exit 0 || exit 1
