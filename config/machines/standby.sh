#!/bin/sh
# Copies the server that PRIMARY names, once, and follows it from then on.
set -e
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until pg_basebackup -d "host=$PRIMARY user=postgres application_name=$(hostname)" \
    -D "$PGDATA" -R -X stream -C -S "$(hostname)" --checkpoint=fast
  do sleep 2; done
  chmod 700 "$PGDATA"
fi
exec postgres
