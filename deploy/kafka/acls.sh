#!/bin/sh
# Gives each role of Farebox what it needs in Kafka, and nothing else. It may run again: a right that stands is left alone.
#
#   ADMIN='--bootstrap-server broker:9093 --command-config admin.properties' sh deploy/kafka/acls.sh
#
# A principal has the name of its role. Where one process has several roles, they share one: SINK=worker METER=worker.
# `topics` makes the topics (npm run log -- topics): the roles themselves may make none. KAFKA_ACLS is Kafka's own command.
set -eu
allow() {
  principal=$1
  shift
  # shellcheck disable=SC2086
  "${KAFKA_ACLS:-kafka-acls.sh}" ${ADMIN:?what leads to the brokers: --bootstrap-server ...} \
    --add --allow-principal "User:$principal" "$@"
}

# acls: derived by npm run docs
allow "${INGEST:-ingest}" --operation Read \
  --topic duties \
  --topic endpoint.checks \
  --topic endpoint.states \
  --topic market.builds \
  --topic market.releases \
  --topic market.resources \
  --topic market.snapshots \
  --topic sec.requests \
  --topic settlements \
  --topic source.ticks \
  --topic watch.orders \
  --topic watch.subscriptions \
  --topic webhook.due \
  --topic webhook.events \
  --topic webhook.standings
allow "${INGEST:-ingest}" --operation Write \
  --topic airport.events \
  --topic chain.payments \
  --topic chain.pools \
  --topic chain.ranges \
  --topic duties \
  --topic endpoint.changes \
  --topic endpoint.checks \
  --topic endpoint.states \
  --topic fx.bank_rates \
  --topic fx.rates \
  --topic market.builds \
  --topic market.endpoints \
  --topic market.probes \
  --topic market.releases \
  --topic market.resources \
  --topic market.snapshots \
  --topic market.weeks \
  --topic rejects \
  --topic sec.companies \
  --topic sec.events \
  --topic sec.facts \
  --topic sec.filings \
  --topic sec.financials \
  --topic sec.financials_as_of \
  --topic sec.insiders \
  --topic sec.requests \
  --topic sec.tickers \
  --topic source.ticks \
  --topic watch.subscriptions \
  --topic weather.alerts \
  --topic webhook.dead \
  --topic webhook.deliveries \
  --topic webhook.due \
  --topic webhook.events \
  --topic webhook.standings
allow "${INGEST:-ingest}" --operation Read \
  --group farebox.judge.endpoint.checks \
  --group farebox.market.market.snapshots \
  --group farebox.outbox.webhook.events \
  --group farebox.sec_requests.sec.requests \
  --group farebox.watching.settlements
allow "${SINK:-sink}" --operation Read \
  --topic airport.events \
  --topic attest.entries \
  --topic attest.heads \
  --topic chain.payments \
  --topic chain.pools \
  --topic chain.ranges \
  --topic data.checks \
  --topic duties \
  --topic endpoint.changes \
  --topic endpoint.checks \
  --topic endpoint.states \
  --topic fx.bank_rates \
  --topic fx.rates \
  --topic geocode.points \
  --topic geocodes \
  --topic market.builds \
  --topic market.endpoints \
  --topic market.probes \
  --topic market.resources \
  --topic market.snapshots \
  --topic market.weeks \
  --topic rejects \
  --topic sec.companies \
  --topic sec.events \
  --topic sec.facts \
  --topic sec.filings \
  --topic sec.financials \
  --topic sec.financials_as_of \
  --topic sec.insiders \
  --topic sec.tickers \
  --topic settlements \
  --topic source.ticks \
  --topic token.prices \
  --topic weather.alerts \
  --topic weather.forecasts \
  --topic weather.outlooks \
  --topic weather.points \
  --topic web.fetches \
  --topic webhook.dead \
  --topic webhook.deliveries \
  --topic webhook.events
allow "${SINK:-sink}" --operation Write \
  --topic attest.heads \
  --topic data.checks \
  --topic duties \
  --topic rejects
allow "${SINK:-sink}" --operation Read \
  --group farebox.sink.airport.events \
  --group farebox.sink.attest.entries \
  --group farebox.sink.attest.heads \
  --group farebox.sink.chain.payments \
  --group farebox.sink.chain.pools \
  --group farebox.sink.chain.ranges \
  --group farebox.sink.data.checks \
  --group farebox.sink.endpoint.changes \
  --group farebox.sink.endpoint.checks \
  --group farebox.sink.endpoint.states \
  --group farebox.sink.fx.bank_rates \
  --group farebox.sink.fx.rates \
  --group farebox.sink.geocode.points \
  --group farebox.sink.geocodes \
  --group farebox.sink.market.builds \
  --group farebox.sink.market.endpoints \
  --group farebox.sink.market.probes \
  --group farebox.sink.market.resources \
  --group farebox.sink.market.snapshots \
  --group farebox.sink.market.weeks \
  --group farebox.sink.rejects \
  --group farebox.sink.sec.companies \
  --group farebox.sink.sec.events \
  --group farebox.sink.sec.facts \
  --group farebox.sink.sec.filings \
  --group farebox.sink.sec.financials \
  --group farebox.sink.sec.financials_as_of \
  --group farebox.sink.sec.insiders \
  --group farebox.sink.sec.tickers \
  --group farebox.sink.settlements \
  --group farebox.sink.source.ticks \
  --group farebox.sink.token.prices \
  --group farebox.sink.weather.alerts \
  --group farebox.sink.weather.forecasts \
  --group farebox.sink.weather.outlooks \
  --group farebox.sink.weather.points \
  --group farebox.sink.web.fetches \
  --group farebox.sink.webhook.dead \
  --group farebox.sink.webhook.deliveries \
  --group farebox.sink.webhook.events
allow "${METER:-meter}" --operation Read \
  --topic duties \
  --topic sales.counted \
  --topic settlements
allow "${METER:-meter}" --operation Write \
  --topic duties \
  --topic rejects \
  --topic sales.counted
allow "${QUERY:-query}" --operation Read \
  --topic airport.events \
  --topic attest.entries \
  --topic attest.heads \
  --topic duties \
  --topic endpoint.changes \
  --topic endpoint.states \
  --topic fx.bank_rates \
  --topic fx.rates \
  --topic geocode.points \
  --topic geocodes \
  --topic market.probes \
  --topic market.releases \
  --topic market.weeks \
  --topic mcp.trials \
  --topic products.seen \
  --topic sec.companies \
  --topic sec.events \
  --topic sec.filings \
  --topic sec.financials \
  --topic sec.financials_as_of \
  --topic sec.insiders \
  --topic sec.requests \
  --topic sec.tickers \
  --topic source.ticks \
  --topic till.open \
  --topic till.promises \
  --topic watch.orders \
  --topic watch.subscriptions \
  --topic watch.told \
  --topic weather.alerts \
  --topic weather.forecasts \
  --topic weather.outlooks \
  --topic weather.points \
  --topic web.pages \
  --topic webhook.deliveries \
  --topic webhook.events \
  --topic webhook.standings
allow "${QUERY:-query}" --operation Write \
  --topic attest.entries \
  --topic duties \
  --topic geocode.points \
  --topic geocodes \
  --topic mcp.trials \
  --topic products.seen \
  --topic rejects \
  --topic sec.requests \
  --topic settlements \
  --topic till.open \
  --topic till.promises \
  --topic token.prices \
  --topic watch.orders \
  --topic watch.told \
  --topic weather.forecasts \
  --topic weather.outlooks \
  --topic weather.points \
  --topic web.fetches \
  --topic web.requests \
  --topic webhook.events \
  --topic webhook.standings
allow "${RENDER:-render}" --operation Read \
  --topic web.requests
allow "${RENDER:-render}" --operation Write \
  --topic web.pages
allow "${RENDER:-render}" --operation Read \
  --group farebox.web_requests.web.requests
allow "${TOPICS:-topics}" --operation Create --operation Describe --operation DescribeConfigs --operation AlterConfigs \
  --topic airport.events \
  --topic attest.entries \
  --topic attest.heads \
  --topic chain.payments \
  --topic chain.pools \
  --topic chain.ranges \
  --topic data.checks \
  --topic duties \
  --topic endpoint.changes \
  --topic endpoint.checks \
  --topic endpoint.states \
  --topic fx.bank_rates \
  --topic fx.rates \
  --topic geocode.points \
  --topic geocodes \
  --topic market.builds \
  --topic market.endpoints \
  --topic market.probes \
  --topic market.releases \
  --topic market.resources \
  --topic market.snapshots \
  --topic market.weeks \
  --topic mcp.trials \
  --topic products.seen \
  --topic rejects \
  --topic sales.counted \
  --topic sec.companies \
  --topic sec.events \
  --topic sec.facts \
  --topic sec.filings \
  --topic sec.financials \
  --topic sec.financials_as_of \
  --topic sec.insiders \
  --topic sec.requests \
  --topic sec.tickers \
  --topic settlements \
  --topic source.ticks \
  --topic till.open \
  --topic till.promises \
  --topic token.prices \
  --topic watch.orders \
  --topic watch.subscriptions \
  --topic watch.told \
  --topic weather.alerts \
  --topic weather.forecasts \
  --topic weather.outlooks \
  --topic weather.points \
  --topic web.fetches \
  --topic web.pages \
  --topic web.requests \
  --topic webhook.dead \
  --topic webhook.deliveries \
  --topic webhook.due \
  --topic webhook.events \
  --topic webhook.standings
# /acls
