import type { Handlers, Message, Outbox } from '../../core/jobs/outbox.ts'
import { createDeliveries } from '../../memberships/monitoring/deliveries.ts'
import { createHealth } from '../../memberships/monitoring/health.ts'
import { createWatch } from '../../memberships/monitoring/monitoring.ts'
import { type Alert, createTroubles } from '../../memberships/monitoring/troubles.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { Ground } from './ground.ts'
import type { Mailing } from './mailing.ts'

/** Notices when messages stay away, and tells whoever runs the site. */
export const createWatchRooms = (
  { storage, options, config, now, log }: Ground,
  given: {
    configured: ReadonlyMap<string, ConfiguredProvider>
    mailing: Pick<Mailing, 'notices'>
    outbox: () => Pick<Outbox, 'steps'>
  },
) => {
  const { configured, mailing, outbox } = given
  const { onAlert } = options
  const { email } = config.operator
  if (email !== null && mailing.notices === null)
    log('membership.operator.email is set, but this site sends no mails: give mails: { transport }')

  const messagesOf = (alert: Alert): Message[] => {
    const name = `alert:${alert.id}:${alert.since}:${alert.state}`
    const lane = `alert:${alert.id}`
    const mail = mailing.notices?.directMessage(name, 'operator-alert', {
      to: email ?? '',
      name: null,
      language: null,
      data: mailOf(alert),
    })
    return [
      ...(onAlert ? [{ id: name, lane, kind: 'alert', payload: alert }] : []),
      ...(mail && email !== null ? [mail] : []),
    ]
  }
  const tell = (alert: Alert) => {
    log(alert.state === 'begun' ? alert.message : `over: ${alert.message}`, {
      kind: alert.kind,
      since: alert.since,
    })
    return outbox().steps(messagesOf(alert))
  }
  const alertHandlers: Handlers = onAlert
    ? { alert: async ({ payload }) => void (await onAlert(payload as Alert)) }
    : {}
  const deliveries = createDeliveries(storage, now)
  const troubles = createTroubles({ storage, tell, now })
  const isWatched = (key: string) => configured.get(key)?.isHere === false
  return {
    deliveries,
    troubles,
    watch: createWatch({ deliveries, troubles, isWatched, now }),
    alertHandlers,
    health: createHealth({ deliveries, troubles, isWatched, now }),
  }
}
export type WatchRooms = ReturnType<typeof createWatchRooms>

const mailOf = ({ state, provider, message, action }: Alert) => ({
  isOver: state === 'over',
  provider,
  message,
  action,
})
