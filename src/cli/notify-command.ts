import { randomBytes, randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import { createPoster } from '../core/http/outgoing.ts'
import type { QueuedMessage } from '../core/jobs/outbox.ts'
import { isForReceiver, receiverKindsOf, send } from '../memberships/hooks/index.ts'
import { type Common, common } from './flags.ts'
import { columns, print } from './output.ts'
import { withSite } from './site.ts'

/** `membership notify …` */
export function notifyCommand(): Command {
  return new Command('notify')
    .addHelpText(
      'after',
      '\nExamples:\n  membership notify secret\n  membership notify test https://crm.example.com/hooks\n  membership notify list\n  membership outbox replay --to https://crm.example.com/hooks',
    )
    .addCommand(secretCommand())
    .addCommand(testCommand())
    .addCommand(listCommand())
}

function secretCommand(): Command {
  return new Command('secret')
    .description('Print a new secret for a receiver. Nothing is stored.')
    .action(() => console.log(`whsec_${randomBytes(32).toString('base64')}`))
}

function testCommand(): Command {
  return common(
    new Command('test')
      .description('Send a ping to a configured receiver, and show its answer.')
      .argument('<address>', 'its url in membership.notify'),
  ).action(async (url: string, flags: Common) => {
    const receiver = await withSite(flags, async (m) =>
      m.operator.config.notify.find((item) => item.url === url),
    )
    if (receiver === undefined)
      throw new MembershipError('ERR_USAGE', `membership.notify has no receiver ${url}.`, {
        action: 'See the receivers with: membership notify list',
      })
    const poster = createPoster({ allowPrivate: receiver.allow_private })
    const now = new Date()
    const id = `evt_${randomUUID()}`
    const body = JSON.stringify({ version: 1, type: 'ping', timestamp: now.toISOString(), data: {} })
    try {
      await send(poster, receiver, { id, body, now, signal: AbortSignal.timeout(15_000) })
    } catch (error) {
      throw new MembershipError('ERR_UNDELIVERABLE', `The ping did not arrive. ${(error as Error).message}`, {
        action: 'Check that the address is reachable from here and answers 2xx.',
      })
    } finally {
      await poster.close()
    }
    print(flags, { url, id, delivered: true }, [`${url} took the ping ${id}.`])
  })
}

function listCommand(): Command {
  return common(
    new Command('list').description('List the receivers, with the number of waiting messages.'),
  ).action(async (flags: Common) => {
    const listed = await withSite(flags, async (m) => {
      const messages = await m.operator.outbox.list({ limit: 10_000 })
      const counted = (own: readonly QueuedMessage[]) => {
        const given_up = own.filter(({ status }) => status === 'dead').length
        return { waiting: own.length - given_up, given_up }
      }
      const { notify } = m.operator.config
      const kinds = notify.flatMap(({ url }) => receiverKindsOf(url))
      const left = messages.filter(({ kind }) => isForReceiver(kind) && !kinds.includes(kind))
      return [
        ...notify.map(({ url, events }) => ({
          url,
          events: events ?? ('all' as const),
          ...counted(messages.filter(({ kind }) => receiverKindsOf(url).includes(kind))),
        })),
        ...(left.length === 0 ? [] : [{ url: null, events: 'all' as const, ...counted(left) }]),
      ]
    })
    const lines = columns(
      listed.map(({ url, events, waiting, given_up }) => [
        url ?? 'addresses that membership.notify no longer has',
        [events].flat().join(', '),
        `${waiting} waiting`,
        `${given_up} given up`,
      ]),
    )
    print(flags, listed, lines.length === 0 ? ['No receivers. Add one to membership.notify.'] : lines)
  })
}
