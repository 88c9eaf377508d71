#!/bin/sh
# sh move.sh standby: promotes that server, and sends every process of the site there.
set -e
. ./.env
docker compose exec -T -u postgres "$1" pg_ctl promote -w
sed -i "s/host=[a-z0-9]* port=5432/host=$1 port=5432/" pgbouncer.ini
for order in RELOAD 'KILL site' 'RESUME site'; do
  docker compose exec -T -e PGPASSWORD="$SITE_PASSWORD" "$1" psql -h pooler -p 6432 -U site pgbouncer -c "$order"
done
