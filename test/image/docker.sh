# The verbs of the image test, with a Docker engine.
# shellcheck shell=bash disable=SC2154
container=mailing-sync-mock-test-$$
volume=$container
baseImage=docker.io/library/node:$(sed -n 's/^ARG NODE_VERSION=//p' Dockerfile)-slim

prepare() { docker volume create "$volume" >/dev/null; }
build() { docker build -t "$image" .; }
config() { docker image inspect --format '{{json .Config}}' "$image"; }
sizes() {
  docker image inspect "$baseImage" >/dev/null 2>&1 || docker pull -q "$baseImage" >/dev/null || return
  echo "$(docker image inspect --format '{{.Size}}' "$image") $(docker image inspect --format '{{.Size}}' "$baseImage")"
}
# A line for each recipe that ran, or was not run.
recipes() { node test/image/recipes.mjs "$image" "$baseImage"; }
inside() { docker run --rm --read-only --user node --entrypoint sh "$image" -c "$1"; }
start() {
  docker rm -f "$container" >/dev/null 2>&1 || true
  docker run -d --name "$container" --read-only --user node -v "$volume:/data" -v "$content:/content:ro" \
    "${settings[@]/#/--env=}" -e "MAILING_SYNC_MOCK_PORT=$port" -p "127.0.0.1:$port:$port" "$image" >/dev/null
}
healthy() {
  docker logs "$container" >"$work/output" 2>&1 || true
  docker exec -e "MAILING_SYNC_MOCK_PORT=${HEALTH_TEST_PORT:-$port}" "$container" \
    node /app/dist/main.js health
}
terminate() {
  docker kill --signal TERM "$container" >/dev/null
  return "$(timeout 20 docker wait "$container" || echo 124)"
}
on_volume() { docker run --rm -e VOLUME=/data -v "$volume:/data" --entrypoint sh "$image" -c "$1"; }
clean() {
  docker rm -f "$container"
  docker volume rm "$volume"
  docker image rm "$image"
}
