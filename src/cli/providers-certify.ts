import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import { type Certified, type CertifiedStep, certify } from '../testkit/certify/index.ts'
import { definitions } from '../testkit/definitions.ts'
import { countUpTo } from './flags.ts'
import { columns, print } from './output.ts'

interface Flags {
  readonly priceMonth: string
  readonly priceTeam: string
  readonly priceOnce?: string
  readonly email: string
  readonly site?: string
  readonly listen?: number
  readonly record?: string
  readonly apiBase?: string
  readonly json?: boolean
}

/** `membership providers certify` */
export function certifyCommand(): Command {
  return new Command('certify')
    .description(
      'Play the whole life of a subscription with the keys of a test account, and compare each answer with the provider’s fake server.',
    )
    .argument('<provider>', definitions.flatMap(({ key, testMode }) => (testMode ? [key] : [])).join(', '))
    .requiredOption('--price-month <id>', 'a recurring price of the test account')
    .requiredOption('--price-team <id>', 'a dearer one, with the same rhythm')
    .option('--price-once <id>', 'a price that is paid once')
    .requiredOption('--email <address>', 'the buyer’s address')
    .option('--site <name>', 'the name of the account, where its address has it: acme-test of Chargebee')
    .option(
      '--listen <port>',
      'take messages on this port of this machine, to which a tunnel of yours leads; their secret is the provider’s usual variable',
      countUpTo(65_535),
    )
    .option('--record <file>', 'write what passed into a file, without secrets and personal data')
    .option('--api-base <url>', 'another address of the API: a fake server’s')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nKeys are read from the environment: STRIPE_SECRET, PAYPAL_CLIENT_ID and PAYPAL_SECRET, and so on, as in config/*.example.yml.\n' +
        'Test mode is proved before the first write, by the key, the address or the API’s own answer; where it cannot be, nothing happens.\n' +
        'If a buyer has to pay, it prints the address of the page: pay there with a test card, then press Enter.\n' +
        'Exits with 0, 2 when something is different, 1 when it failed.' +
        '\n\nExamples:\n  STRIPE_SECRET=sk_test_… membership providers certify stripe --price-month price_1… --price-team price_2… --email me@acme.example' +
        '\n  membership providers certify paddle --price-month pri_1… --price-team pri_2… --email me@acme.example --listen 8787 --record paddle.json' +
        '\n  membership providers certify chargebee --site acme-test --price-month pro-EUR-Monthly --price-team team-EUR-Monthly --email me@acme.example --json',
    )
    .action(async (key: string, flags: Flags) => {
      const definition = definitions.find((each) => each.key === key && each.testMode !== undefined)
      if (definition === undefined)
        throw new MembershipError('ERR_PROVIDER_UNKNOWN', `There is no provider "${key}" to certify.`, {
          action: 'membership providers certify --help lists them.',
        })
      const { webhook, ...options } = keysIn(key, process.env)
      const result = await certify({
        definition,
        email: flags.email,
        base: flags.apiBase,
        options: { ...options, ...(flags.site === undefined ? {} : { site: flags.site }) },
        prices: { month: flags.priceMonth, team: flags.priceTeam, once: flags.priceOnce ?? null },
        ...(flags.listen === undefined
          ? {}
          : { webhook: { port: flags.listen, secret: webhookSecret(key, webhook) } }),
        pay: (url, what) => payByHand(url, what, flags.email),
        onStep: (row) => {
          if (!flags.json) process.stderr.write(`${line(row).join('  ')}\n`)
        },
      })
      if (flags.record !== undefined)
        await writeFile(flags.record, `${JSON.stringify(result.cassette, null, 1)}\n`)
      const { cassette: _, ...said } = result
      print(flags, said, summary(result, flags.record))
      if (!result.isSame) process.exitCode = 2
    })
}

/** Reads a provider's keys from the variables of its example. @throws ERR_CONFIG without an API key */
function keysIn(
  key: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly secret: string; readonly client_id?: string; readonly webhook?: string } {
  const name = key.toUpperCase()
  const secret = env[`${name}_SECRET`]
  if (secret === undefined || secret === '')
    throw new MembershipError('ERR_CONFIG', `${name}_SECRET is not set.`, {
      action: 'Set it to the API key of a test account.',
    })
  const webhook = ['SECRET', 'AUTH', 'ID'].map((end) => env[`${name}_WEBHOOK_${end}`]).find(Boolean)
  const clientId = env[`${name}_CLIENT_ID`]
  return {
    secret,
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(webhook === undefined ? {} : { webhook }),
  }
}

function webhookSecret(key: string, secret: string | undefined): string {
  if (secret !== undefined) return secret
  throw new MembershipError('ERR_CONFIG', `${key.toUpperCase()}_WEBHOOK_SECRET is not set.`, {
    action: 'Set it to the secret that signs the messages, or leave --listen out.',
  })
}

/** Lets a person pay on the page; a page of a fake server is paid by submitting its form. */
async function payByHand(url: string, what: string, email: string): Promise<void> {
  if (/^http:\/\/(?:127\.0\.0\.1|localhost):/.test(url)) {
    await fetch(url, { method: 'POST', body: new URLSearchParams({ email }), redirect: 'manual' })
    return
  }
  process.stderr.write(`\nPay there with a test card (${what}), then press Enter:\n${url}\n`)
  const asked = createInterface({ input: process.stdin, output: process.stderr })
  await asked.question('')
  asked.close()
}

function line({ step, result, notes }: CertifiedStep): string[] {
  return [result, step, notes.join('; ')]
}

function summary(
  { provider, at, apiVersion, isSame, steps }: Certified,
  record: string | undefined,
): string[] {
  return [
    ...columns(steps.map(line)),
    '',
    isSame
      ? `${provider} is as the adapter and its fake server expect: ${at.slice(0, 10)}, API ${apiVersion}.`
      : `${steps.filter(({ result }) => result === 'different').length} of ${steps.length} steps are different.`,
    ...(record === undefined ? [] : [`What passed is in ${record}.`]),
  ]
}
