# The verbs of the image test without an engine: buildah builds, and the kernel's namespaces run what was built, with
# a process tree of its own (so that the mock is process 1), a read-only root, and the volume mounted into it. The
# network is this machine's. (`buildah run` would do neither: it needs a root that can be written, and an image's
# VOLUME hides the directory given with -v.)
# shellcheck shell=bash disable=SC2154
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
baseImage=docker.io/library/node:$(sed -n 's/^ARG NODE_VERSION=//p' Dockerfile)-slim
volume=$work/volume
container= root= process= mock=

prepare() {
  [ "$(id -u)" = 0 ] || not_run "no Docker engine answers, and buildah is used as root only"
  command -v buildah >/dev/null || install_buildah >"$work/output" 2>&1 ||
    not_run "no Docker engine answers, and buildah can be neither found nor installed"
  unshare --mount --pid --fork true 2>/dev/null || not_run "this system gives no namespaces to run a container in"
  base_is_there || not_run "the base image $baseImage cannot be had"
  mkdir "$volume"
  chown 1000:1000 "$volume"
}
install_buildah() {
  local attempt
  command -v apt-get || return 1
  for attempt in 1 2 3; do
    if apt-get update && apt-get install -y --no-install-recommends buildah crun; then return 0; fi
    sleep $((attempt * 3))
  done
  return 1
}
base_is_there() {
  if buildah inspect --type image "$baseImage" >/dev/null 2>&1; then return 0; fi
  if timeout 120 buildah pull "$baseImage" >"$work/output" 2>&1; then return 0; fi
  local script
  script=${STAND_IN_BASE:-$(git rev-parse --show-toplevel 2>/dev/null)/../shared/stand-in-base}
  [ -x "$script" ] || return 1
  say "   the base image cannot be pulled; making a stand-in of it"
  "$script" "$(sed -n 's/^ARG NODE_VERSION=//p' Dockerfile)" "$baseImage" >"$work/output" 2>&1 && return 0
  tail -5 "$work/output" | sed 's/^/  | /'
  return 1
}
build() {
  buildah bud --network host --format docker --pull-never -t "$image" . || return
  container=$(buildah from --pull-never "$image") && root=$(buildah mount "$container") && mkdir "$root/content"
}
config() { buildah inspect --type image "$image" | node -e 'console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0)).Docker.config))'; }
sizes() {
  local size='const [{ size }] = JSON.parse(require("fs").readFileSync(0)); const [n, unit] = size.split(" ")
    console.log(n * { B: 1, KB: 1e3, MB: 1e6, GB: 1e9 }[unit.toUpperCase()])'
  echo "$(buildah images --json "$image" | node -e "$size") $(buildah images --json "$baseImage" | node -e "$size")"
}
recipes() { echo 'not run (no Docker engine answers)'; }
# contained COMMAND...: in the image's file system, as its user, with its environment. Becomes the command.
contained() {
  SETTINGS=$(printf '%s\n' "${settings[@]}")
  export SETTINGS
  # shellcheck disable=SC2016
  exec unshare --mount --pid --fork bash -euc '
    root=$1 volume=$2 config=$3 content=$4
    shift 4
    mount --bind "$root" "$root"
    mount -o remount,bind,ro "$root"
    mount --bind "$volume" "$root/data"
    mount --bind "$content" "$root/content"
    mount -o remount,bind,ro "$root/content"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    user=$(node -p "JSON.parse(require(\"fs\").readFileSync(process.argv[1])).User" "$config")
    mapfile -t environment < <(node -p "JSON.parse(require(\"fs\").readFileSync(process.argv[1])).Env.join(\"\n\")" "$config")
    mapfile -t settings < <(printf "%s" "$SETTINGS")
    ids=$(sed -n "s/^$user:[^:]*:\([0-9]*\):\([0-9]*\):.*/\1:\2/p" "$root/etc/passwd")
    cd /
    exec env -i "${environment[@]}" "${settings[@]}" "MAILING_SYNC_MOCK_PORT=$MAILING_SYNC_MOCK_PORT" \
      chroot --userspec="$ids" "$root" "$@"
  ' contained "$root" "$volume" "$work/config.json" "$content" "$@"
}
inside() { (MAILING_SYNC_MOCK_PORT='' contained sh -c "$1"); }
start() {
  local entrypoint
  mapfile -t entrypoint < <(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).Entrypoint.join("\n")' "$work/config.json")
  (MAILING_SYNC_MOCK_PORT=$port contained "${entrypoint[@]}") >"$work/output" 2>&1 &
  process=$!
}
healthy() { (MAILING_SYNC_MOCK_PORT=${HEALTH_TEST_PORT:-$port} contained node /app/dist/main.js health); }
terminate() {
  mock=$(pgrep -P "$process")
  kill -TERM "$mock"
  wait "$process"
}
on_volume() { VOLUME=$volume sh -c "$1"; }
clean() {
  if [ -n "$process" ]; then pkill -KILL -P "$process"; fi
  if [ -n "$container" ]; then buildah rm "$container"; fi
  buildah rmi "$image"
}
