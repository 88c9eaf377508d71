import type { InitAnswers } from './answers.ts'

/** The site and the server that the files are for. */
export interface Deployment {
  /** Name of the service, the user and the folder on the server. */
  readonly name: string
  readonly domain: string
  readonly database: InitAnswers['database']
  /** Variables of the site's `.env`. */
  readonly variables: readonly string[]
  /** Arguments of `node` that start the site. */
  readonly start: readonly string[]
  /** True if `npm run build` has to run first. */
  readonly isBuilt: boolean
}

/** The domain of a server: a host name with a dot, or localhost for a trial on one's own machine. */
export function isDomain(text: string): boolean {
  return (
    text === 'localhost' || /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(text)
  )
}

/** Files that run a site on one server with TLS, back it up and restore it, by path. */
export function deployFiles(deployment: Deployment): Record<string, string> {
  return {
    Dockerfile: dockerfile(deployment),
    'deploy/README.md': readme(deployment),
    'deploy/release.sh': releaseScript(deployment),
    'deploy/server.sh': serverScript(deployment),
    'deploy/Caddyfile': caddyfile(deployment),
    [`deploy/${deployment.name}.service`]: siteService(deployment),
    [`deploy/${deployment.name}-backup.service`]: backupService(deployment),
    [`deploy/${deployment.name}-backup.timer`]: backupTimer(deployment),
    'deploy/is-up.mjs': isUp,
    'deploy/backup.sh': backupScript(deployment),
    'deploy/restore.sh': restoreScript(deployment),
  }
}

/** Paths that an image and a release leave out. */
export const notDeployed = ['node_modules', 'data', '.env', '.git', '.next']

function node({ start }: Deployment): string {
  return ['node', ...start].join(' ')
}

function dockerfile(deployment: Deployment): string {
  return `# The first stage installs and compiles. The second one holds only the result.
FROM node:22-bookworm AS build
WORKDIR /site
# A tarball of membership lies beside package.json if the site was installed from one.
COPY package*.json *.tg[z] ./
RUN npm ci
COPY . .
${deployment.isBuilt ? 'RUN npm run build\n' : ''}
FROM node:22-bookworm-slim
WORKDIR /site
ENV NODE_ENV=production PORT=3000
COPY --from=build --chown=node:node /site ./
RUN mkdir -p data && chown node:node . data
USER node
# The database and the secret. Without a volume they are deleted with the container.
VOLUME /site/data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "deploy/is-up.mjs"]
CMD [${['node', ...deployment.start].map((part) => JSON.stringify(part)).join(', ')}]
`
}

function caddyfile({ domain }: Deployment): string {
  return `# Caddy fetches and renews the certificate by itself.
${domain} {
	encode zstd gzip
	header Strict-Transport-Security "max-age=31536000"
	reverse_proxy 127.0.0.1:3000 {
		# Requests wait while the site restarts.
		lb_try_duration 20s
		lb_try_interval 250ms
	}
}
`
}

function siteService(deployment: Deployment): string {
  return `[Unit]
Description=${deployment.name}
Wants=network-online.target
After=network-online.target${deployment.database === 'postgres' ? ' postgresql.service' : ''}

[Service]
User=${deployment.name}
WorkingDirectory=/srv/${deployment.name}
# One visitor comes through one proxy: Caddy.
Environment=NODE_ENV=production PORT=3000 TRUST_PROXY=1
EnvironmentFile=/srv/${deployment.name}/.env
ExecStart=/usr/bin/env ${node(deployment)}
# The start counts as failed if the site does not answer.
ExecStartPost=/usr/bin/env node deploy/is-up.mjs --wait 60
Restart=always
RestartSec=2
# The site answers open requests before it ends, and gives a silent database up.
TimeoutStopSec=45

NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectHome=yes
ProtectSystem=strict
ReadWritePaths=-/srv/${deployment.name}/data -/srv/${deployment.name}/.next

[Install]
WantedBy=multi-user.target
`
}

function backupService({ name }: Deployment): string {
  return `[Unit]
Description=Backup of ${name}

[Service]
Type=oneshot
User=${name}
WorkingDirectory=/srv/${name}
ExecStart=/bin/sh deploy/backup.sh
`
}

function backupTimer({ name }: Deployment): string {
  return `[Unit]
Description=Backup of ${name} every six hours

[Timer]
OnCalendar=*-*-* 00/6:15:00
Persistent=true

[Install]
WantedBy=timers.target
`
}

const isUp = `// Exits with 0 while the site answers. /membership/health answers 503 when something needs the operator. The site
// still runs then, so both count. Your monitor should alert on 503.
const at = process.argv.indexOf('--wait')
const until = Date.now() + (at === -1 ? 0 : Number(process.argv[at + 1]) * 1000)
const url = \`http://127.0.0.1:\${process.env.PORT ?? 3000}/membership/health\`

async function isUp() {
  const answer = await fetch(url, { signal: AbortSignal.timeout(4000) }).catch(() => null)
  return answer !== null && [200, 503].includes(answer.status)
}

let up = await isUp()
while (!up && Date.now() < until) {
  await new Promise((ready) => setTimeout(ready, 500))
  up = await isUp()
}
if (!up) console.error(\`\${url} does not answer.\`)
process.exit(up ? 0 : 1)
`

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is the code of scripts
function scriptHead(name: string): string[] {
  return [
    'set -eu',
    'umask 077',
    'cd "$(dirname "$0")/.."',
    `copies=\${BACKUP_COPIES:-/var/backups/${name}}`,
    `secrets=\${BACKUP_SECRETS:-/var/backups/${name}-secrets}`,
    'membership=node_modules/.bin/membership',
  ]
}

const databaseAddress = [
  '# The tools of PostgreSQL need the address that the site uses.',
  `if [ -z "\${DATABASE_URL:-}" ]; then DATABASE_URL=$(sed -n 's/^DATABASE_URL=//p' .env); fi`,
]

function backupScript({ name, database }: Deployment): string {
  return lines(
    '#!/bin/sh',
    '# Copies the database while the site runs. The secrets go to another folder, because they sign the logins of the',
    '# members in the copy. Move both folders off this server, each to another place.',
    ...scriptHead(name),
    'mkdir -p "$copies" "$secrets"',
    'at=$(date -u +%Y%m%dT%H%M%SZ)',
    '',
    ...(database === 'sqlite'
      ? ['"$membership" backup "$copies/$at.db"']
      : [
          ...databaseAddress,
          'pg_dump --format=custom --file="$copies/$at.dump.writing" "$DATABASE_URL"',
          'mv "$copies/$at.dump.writing" "$copies/$at.dump"',
        ]),
    '# A restored copy deletes these members again.',
    '"$membership" members deleted > "$copies/$at.deleted.txt"',
    '',
    'for file in data/membership.secret .env; do',
    '  if [ -f "$file" ] && ! cmp -s "$file" "$secrets/$(basename "$file")"; then',
    '    # A replaced secret is kept: older sessions and links carry its signature.',
    '    kept=$secrets/$(basename "$file")',
    '    if [ -f "$kept" ]; then mv "$kept" "$kept.until-$at"; fi',
    '    cp "$file" "$kept"',
    '  fi',
    'done',
    '',
    '# Copies older than two weeks are deleted.',
    `find "$copies" -type f -mtime +14 -delete`,
    `echo "Backed up to $copies/$at.${database === 'sqlite' ? 'db' : 'dump'}; secrets are in $secrets."`,
  )
}

function restoreScript({ name, database }: Deployment): string {
  return lines(
    '#!/bin/sh',
    '# Restores a copy of the database, and fetches what happened since from the providers. Stop the site first.',
    '# Usage: sh deploy/restore.sh COPY [SINCE]',
    ...scriptHead(name),
    'copy=${1:?Usage: sh deploy/restore.sh COPY [SINCE]}',
    'since=${2:-2d}',
    'mkdir -p data',
    '',
    'for file in data/membership.secret .env; do',
    '  if [ ! -f "$file" ] && [ -f "$secrets/$(basename "$file")" ]; then cp "$secrets/$(basename "$file")" "$file"; fi',
    'done',
    '',
    '# The newest list of deleted members counts, also for an older copy.',
    'deleted=$(ls "$copies"/*.deleted.txt | tail -n 1)',
    ...(database === 'sqlite'
      ? ['"$membership" restore "$copy" --deleted "$deleted"']
      : [
          ...databaseAddress,
          'pg_restore --clean --if-exists --no-owner --single-transaction --dbname="$DATABASE_URL" "$copy"',
          '"$membership" after-restore --deleted "$deleted"',
        ]),
    '',
    '# A provider without past events cannot answer this. The comparison below fetches its objects.',
    '"$membership" webhooks pull --since "$since" || true',
    '# Exit code 2 says that something is left to do; it is printed.',
    '"$membership" compare --write || [ $? -eq 2 ]',
    'echo "Restored. Now start the site."',
  )
}

function serverScript(deployment: Deployment): string {
  const { name, database, isBuilt } = deployment
  return lines(
    '#!/bin/sh',
    '# Sets up this server and starts the release that lies in its folder. Runs as root on Debian 12 or Ubuntu 24.04,',
    '# and may run again: release.sh runs it each time.',
    'set -eu',
    `site=/srv/${name}`,
    '',
    'if ! node -e \'process.exit(Number(process.versions.node.split(".")[0]) >= 22 ? 0 : 1)\'; then',
    '  apt-get update && apt-get install -y ca-certificates curl',
    '  curl -fsSL https://deb.nodesource.com/setup_22.x | bash -',
    '  apt-get install -y nodejs',
    'fi',
    `for package in caddy ufw build-essential python3${database === 'postgres' ? ' postgresql-client' : ''}; do`,
    '  dpkg -s "$package" > /dev/null 2>&1 || apt-get install -y "$package"',
    'done',
    `id ${name} > /dev/null 2>&1 || useradd --system --home-dir "$site" --shell /usr/sbin/nologin ${name}`,
    `install -d -o ${name} -g ${name} -m 750 "$site" "$site/data"`,
    `install -d -o ${name} -g ${name} -m 700 /var/backups/${name} /var/backups/${name}-secrets`,
    'if [ ! -f "$site/.env" ]; then',
    '  echo "There is no $site/.env with the secrets of the site. deploy/README.md shows how to write it." >&2',
    '  exit 1',
    'fi',
    `chown -R ${name}:${name} "$site"`,
    'chmod 600 "$site/.env"',
    '',
    'cd "$site"',
    `runuser -u ${name} -- env HOME="$site" npm ci --no-audit --no-fund`,
    ...(isBuilt ? [`runuser -u ${name} -- env HOME="$site" npm run build`] : []),
    '',
    'cp deploy/*.service deploy/*.timer /etc/systemd/system/',
    'cp deploy/Caddyfile /etc/caddy/Caddyfile',
    'systemctl daemon-reload',
    `systemctl enable ${name}.service`,
    `systemctl restart ${name}.service`,
    `systemctl enable --now ${name}-backup.timer`,
    'systemctl enable --now caddy',
    'systemctl reload caddy',
    '',
    '# Only Caddy and SSH are open. The site itself listens on port 3000.',
    'ufw allow OpenSSH',
    'ufw allow 80,443/tcp',
    'ufw --force enable',
    `systemctl --no-pager --lines=0 status ${name}.service`,
  )
}

function releaseScript({ name, domain }: Deployment): string {
  return lines(
    '#!/bin/sh',
    '# Brings this folder to the server and starts it there. Database, secrets and packages of the server stay.',
    `# Usage: sh deploy/release.sh [root@${domain}]`,
    'set -eu',
    'cd "$(dirname "$0")/.."',
    `server=\${1:-root@${domain}}`,
    'if [ ! -f package-lock.json ]; then',
    '  echo "There is no package-lock.json, which the server installs from. Run: npm install" >&2',
    '  exit 1',
    'fi',
    'ssh "$server" "command -v rsync > /dev/null || (apt-get update && apt-get install -y rsync)"',
    `rsync -a --delete ${notDeployed.map((path) => `--exclude /${path}`).join(' ')} ./ "$server:/srv/${name}/"`,
    `ssh "$server" "sh /srv/${name}/deploy/server.sh"`,
  )
}
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is the code of scripts

/** The commands for the reader. docs/start.md shows the same ones for `my-site` at `example.com`. */
function readme({ name, domain, database, variables }: Deployment): string {
  return `# ${name} on one server

The server is a machine with Debian 12 or Ubuntu 24.04, which you reach with \`ssh root@${domain}\`. The DNS record of ${domain} leads to it.

## The first release

Write the secrets on the server, once:

\`\`\`sh
ssh root@${domain} 'umask 077 && mkdir -p /srv/${name} && cat > /srv/${name}/.env' <<'END'
SITE_URL=https://${domain}
${variables
  .filter((variable) => variable !== 'SITE_URL')
  .map((variable) => `${variable}=…\n`)
  .join('')}END
\`\`\`

Then release:

\`\`\`sh
sh deploy/release.sh root@${domain}
\`\`\`

\`release.sh\` copies the folder. \`server.sh\` installs Node, Caddy and a firewall, starts the site as a service, and starts a backup every six hours. Both may run again.

## Check it

\`\`\`sh
curl -i https://${domain}/membership/health
npx membership doctor --url https://${domain}
ssh root@${domain} journalctl -u ${name} -n 50
\`\`\`

Give your monitor the address https://${domain}/membership/health. It answers 200 while all is well, and 503 when something needs you.

## Backups

\`deploy/backup.sh\` writes the database to \`/var/backups/${name}\` and the secrets to \`/var/backups/${name}-secrets\`. Copy the two folders off the server, each to another place: the secret signs the logins of the members in the database.

Restore the newest copy:

\`\`\`sh
ssh root@${domain}
cd /srv/${name}
systemctl stop ${name}
runuser -u ${name} -- sh deploy/restore.sh "$(ls /var/backups/${name}/*.${database === 'sqlite' ? 'db' : 'dump'} | tail -n 1)" 2d
systemctl start ${name}
\`\`\`

\`2d\` is the time since the copy was made, and a bit more: two days. The script fetches what happened since from the providers.

## With Docker

\`\`\`sh
docker build -t ${name} .
docker run -d --name ${name} --restart always --env-file .env -e TRUST_PROXY=1 -p 127.0.0.1:3000:3000 -v ${name}-data:/site/data ${name}
\`\`\`

Caddy runs on the server itself, with \`deploy/Caddyfile\`. \`docker exec ${name} sh deploy/backup.sh\` makes a backup, with \`BACKUP_COPIES\` and \`BACKUP_SECRETS\` on volumes of their own.
`
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
