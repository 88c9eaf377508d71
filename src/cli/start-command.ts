import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import { testCards } from '../providers/sandbox/shop.ts'
import { storageOf } from '../site/assembly/former-names.ts'
import { type RunningSite, startSite } from '../site/runtime/start.ts'

/** `membership start` */
export function startCommand(): Command {
  return new Command('start')
    .option('-p, --port <number>', 'port; PORT in the environment means the same', process.env.PORT ?? '3000')
    .option('--host <address>', 'address to listen on', process.env.HOST ?? '127.0.0.1')
    .option('-c, --config <file>', 'file in place of membership.config.* and config/membership.*')
    .addHelpText(
      'after',
      '\nExamples:\n  membership start\n  PORT=8080 DATABASE_URL=postgres://localhost/site membership start',
    )
    .action(async (flags: { port: string; host: string; config?: string }) => {
      const site = await startSite({
        folder: process.cwd(),
        config: flags.config,
        databaseUrl: process.env.DATABASE_URL || undefined,
        port: toPort(flags.port),
        host: flags.host,
        log: (message, details) =>
          console.error(`  ${message}${details ? ` ${JSON.stringify(details)}` : ''}`),
      })
      const stop = (how: () => Promise<void>) => {
        console.log('\nClosing …')
        how().then(
          () => process.exit(0),
          (error: unknown) => {
            console.error(error)
            process.exit(1)
          },
        )
      }
      // Installed before the ready message, because its reader may send a signal at once.
      process.once('SIGINT', () => stop(site.close))
      process.once('SIGTERM', () => stop(site.end))
      console.log(firstScreen(site, flags.host))
      console.log(site.url)
    })
}

function toPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new MembershipError('ERR_USAGE', `"${text}" is no port.`, {
    action: 'Give a number from 0 to 65535, such as PORT=3000.',
  })
}

function firstScreen({ membership: m, url, demoKey }: RunningSite, host: string): string {
  const isDemo = m.operator.config.provider.handler === 'sandbox'
  return [
    '',
    isDemo ? '  Neap, the demo magazine of membership. No money moves here.' : '  membership',
    '',
    ...(isDemo && !isLoopback(host) ? openDemo(host) : []),
    `  Database    ${storageOf(m).place}`,
    ...(isDemo ? ['  Test cards', ...testCards.map((card) => `    ${card.number}   ${card.label}`)] : []),
    ...(m.operator.config.reports.system === null
      ? []
      : ['', `  Partner API ${url}/reports/docs`, ...keyLines(url, demoKey)]),
    '',
    '  Ctrl-C closes. The site is ready at',
    '',
  ].join('\n')
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** Warns of a demo that other machines can reach, and says what everybody can do there. */
function openDemo(host: string): string[] {
  return [
    `  LISTENS ON ${host}: everybody on the network can buy without money, read every mail in the`,
    '  demo’s mailbox and so log in as anybody, move the clock, and make payments fail.',
    '  Only this machine: leave out --host and HOST, or --host 127.0.0.1.',
    '',
  ]
}

function keyLines(url: string, key: string | null): string[] {
  return key === null
    ? ['    Keys: membership keys list']
    : [
        '    A key to try it, shown only once:',
        `    KEY=${key}`,
        `    curl -H "X-API-KEY: $KEY" ${url}/reports`,
      ]
}
