import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'config/machines')
function read(name: string) {
  return readFileSync(join(folder, name), 'utf8')
}
const page = ['several-machines', 'reference/what-happens-on-several-machines']
  .map((name) => readFileSync(join(root, `docs/${name}.md`), 'utf8'))
  .join('\n')

interface Service {
  readonly build?: { context: string; dockerfile: string }
  readonly volumes?: readonly string[]
  readonly depends_on?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

test('configuration files of several machines are consistent, and the page describes them', (t) => {
  const { services, volumes } = parse(read('compose.yml'), { merge: true }) as {
    services: Readonly<Record<string, Service>>
    volumes: Readonly<Record<string, null>>
  }
  const files = readdirSync(folder)
  for (const [name, { build, volumes: mounted = [], depends_on = [] }] of Object.entries(services)) {
    for (const other of depends_on) t.true(other in services, `${name} depends on ${other}`)
    for (const place of mounted) {
      const [from = ''] = place.split(':')
      t.true(from === '.' || files.includes(from.replace('./', '')) || from in volumes, place)
    }
    if (build) t.true(files.includes(build.dockerfile.replace('machines/', '')), build.dockerfile)
  }
  const sites = Object.keys(services).filter((name) => name.startsWith('site'))
  // What the proxy knows, what a deploy goes through, and what the pooler leads to.
  t.deepEqual(
    [...read('haproxy.cfg').matchAll(/^ {2}server (\S+) \1:3000$/gm)].map(([, name]) => name),
    [...sites, ...sites],
    'for pages and for deliveries',
  )
  t.true(page.includes(`for site in ${sites.join(' ')}; do`))
  t.regex(read('pgbouncer.ini'), /^site = host=primary port=5432 dbname=site$/m)
  t.is(services.standby?.environment?.PRIMARY, 'primary')
  t.is(services.standby?.environment?.PGDATA, services.primary?.environment?.PGDATA)
  for (const [line, file] of [
    ['retry-on conn-failure', 'haproxy.cfg'],
    ['option redispatch', 'haproxy.cfg'],
    ['timeout queue 1s', 'haproxy.cfg'],
    ['maxconn 32', 'haproxy.cfg'],
    ['server_login_retry = 1', 'pgbouncer.ini'],
    ['query_wait_timeout = 10', 'pgbouncer.ini'],
    ['stop_grace_period: 45s', 'compose.yml'],
  ] as const) {
    t.true(page.includes(`\`${line}\``), line)
    t.true(read(file).includes(line), `${file}: ${line}`)
  }
})
