#!/bin/sh
# Makes the logins of the broker of compose.yaml and gives each its rights. It runs at each start, so a changed password is one that
# stands in .env. Kafka's own commands are kafka-configs.sh and kafka-acls.sh.
set -eu
if [ -z "$INGEST_PASSWORD" ]; then
  echo 'no passwords: whoever reaches this broker may do everything'
  exit 0
fi
login() {
  # shellcheck disable=SC2086
  "${KAFKA_CONFIGS:-kafka-configs.sh}" $ADMIN --alter --add-config "SCRAM-SHA-512=[password=$2]" --entity-type users --entity-name "$1"
}
login "$INGEST" "$INGEST_PASSWORD"
login "$SINK" "${WORKER_PASSWORD:?WORKER_LOG_PASSWORD is unset}"
login "$QUERY" "${QUERY_PASSWORD:?QUERY_LOG_PASSWORD is unset}"
login "$RENDER" "${RENDER_PASSWORD:?RENDER_LOG_PASSWORD is unset}"
# Only where we settle by ourselves.
if [ -n "${SETTLE_PASSWORD:-}" ]; then login "$SETTLE" "$SETTLE_PASSWORD"; fi
# Only where a canary buys.
if [ -n "${CANARY_PASSWORD:-}" ]; then login "$CANARY" "$CANARY_PASSWORD"; fi
# By hand alone: operator reads, topics makes topics and fills them at a restore.
if [ -n "${OPERATOR_PASSWORD:-}" ]; then login "$OPERATOR" "$OPERATOR_PASSWORD"; fi
if [ -n "${TOPICS_PASSWORD:-}" ]; then login "$TOPICS" "$TOPICS_PASSWORD"; fi
exec sh "$(dirname "$0")/acls.sh"
