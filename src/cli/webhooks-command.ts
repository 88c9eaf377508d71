import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import type { Membership } from '../site/membership.ts'
import { type Common, common, countUpTo } from './flags.ts'
import { print } from './output.ts'
import { withSite } from './site.ts'
import { connectCommand } from './webhooks-connect.ts'
import { pullCommand } from './webhooks-pull.ts'

/** `membership webhooks …` */
export function webhooksCommand(): Command {
  return new Command('webhooks')
    .addHelpText(
      'after',
      '\nExamples:\n  membership webhooks list --failed\n  membership webhooks show 17\n  membership webhooks replay evt_1NG8Du2eZvKYlo2C\n  membership webhooks release 17\n  membership webhooks send event.json --provider stripe --url http://127.0.0.1:3000\n  membership webhooks pull --provider stripe --since 12h\n  membership webhooks connect stripe --write',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(replayCommand())
    .addCommand(releaseCommand())
    .addCommand(sendCommand())
    .addCommand(pullCommand())
    .addCommand(connectCommand())
}

function listCommand(): Command {
  return common(new Command('list').description('List received events, newest first.'))
    .option('--failed', 'only those that are retried, given up or held')
    .option('--provider <key>', 'only of this provider')
    .option('--limit <number>', 'how many at most', countUpTo(10_000), 50)
    .action(async (flags: Common & { failed?: boolean; provider?: string; limit: number }) => {
      const events = await withSite(flags, (m) =>
        m.webhooks.list({ failed: flags.failed, provider: flags.provider, limit: flags.limit }),
      )
      print(flags, events, events.length === 0 ? ['No events.'] : events.map(line))
    })
}

function showCommand(): Command {
  return common(
    new Command('show')
      .description('Show one received event with its body.')
      .argument('<event>', 'number or id'),
  ).action(async (id: string, flags: Common) => {
    const event = await withSite(flags, (m) => m.webhooks.get(id))
    const body = event.body?.toString('utf8') ?? null
    const { body: _, ...row } = event
    print(flags, { ...row, body }, [
      ...Object.entries(row).map(([name, value]) => `${name.padEnd(14)} ${value ?? '-'}`),
      '',
      ...(body === null
        ? ['(the body was deleted; bodies are kept for membership.webhooks.keep_bodies_days)']
        : pretty(body).split('\n')),
    ])
  })
}

function replayCommand(): Command {
  return common(
    new Command('replay').description('Apply a received event again.').argument('<event>', 'number or id'),
  ).action((id: string, flags: Common) => again(flags, id, (m) => m.webhooks.replay(id)))
}

function releaseCommand(): Command {
  return common(
    new Command('release').description('Apply a held event.').argument('<event>', 'number or id'),
  ).action((id: string, flags: Common) => again(flags, id, (m) => m.webhooks.release(id)))
}

function sendCommand(): Command {
  return common(
    new Command('send')
      .description('Sign a payload with the configured secret and post it to a running site.')
      .argument('<file>', 'a file with one whole event'),
  )
    .requiredOption('--provider <key>', 'whose event it is')
    .option('--url <address>', 'the running site', `http://127.0.0.1:${process.env.PORT ?? '3000'}`)
    .action(send)
}

async function again(flags: Common, id: string, run: (m: Membership) => Promise<boolean>): Promise<void> {
  const { applied, event } = await withSite(flags, async (m) => {
    const applied = await run(m)
    return { applied, event: await m.webhooks.get(id) }
  })
  print(flags, { applied, status: event.status, reason: event.reason }, [
    applied ? `Applied ${event.event_id}.` : `${event.event_id} failed again: ${event.reason ?? 'unknown'}`,
  ])
  if (!applied) process.exitCode = 1
}

async function send(file: string, flags: Common & { provider: string; url: string }): Promise<void> {
  const body = readBody(file)
  const { headers, base } = await withSite(
    flags,
    async (m) => ({
      headers: m.webhooks.sign(flags.provider, body),
      base: m.operator.config.base_path,
    }),
    { absent: 'memory' },
  )
  const site = flags.url.replace(/\/+$/, '')
  const address = `${site.endsWith(base) ? site : `${site}${base}`}/membership/webhooks/${flags.provider}`
  const answer = await post(address, body, headers)
  const text = await answer.text()
  print(flags, { address, status: answer.status, body: text }, [`${answer.status} ${address}`, text])
  if (!answer.ok) process.exitCode = 1
}

async function post(address: string, body: Buffer, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(address, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  } catch (error) {
    throw new MembershipError('ERR_USAGE', `Nothing answers at ${address}.`, {
      action: 'Start the site first (membership start), or name its address with --url.',
      cause: error,
    })
  }
}

function readBody(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new MembershipError('ERR_USAGE', `${file} cannot be read: ${(error as Error).message}`, {
      action: 'Name a file that holds one whole event as JSON.',
    })
  }
}

function line(event: {
  seq: number
  received_at: string
  status: string
  provider: string
  type: string
  event_id: string
  reason: string | null
}): string {
  return [
    String(event.seq).padStart(6),
    event.received_at.slice(0, 19),
    (words[event.status] ?? event.status).padEnd(14),
    event.provider.padEnd(8),
    event.type,
    event.event_id,
    event.reason ? `(${event.reason})` : '',
  ]
    .join('  ')
    .trimEnd()
}

const words: Record<string, string> = {
  processed: 'applied',
  ignored: 'not needed',
  failed: 'will try again',
  dead: 'gave up',
  held: 'held back',
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
