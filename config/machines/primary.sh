#!/bin/sh
# Run once, on an empty folder: the site's own role and database, and who may copy.
set -e
psql -v ON_ERROR_STOP=1 -U postgres <<SQL
create role site login password '$SITE_PASSWORD';
create database site owner site;
SQL
echo 'host replication postgres all scram-sha-256' >> "$PGDATA/pg_hba.conf"
