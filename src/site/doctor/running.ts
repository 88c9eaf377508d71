import type { Config } from '../../core/config/index.ts'
import { version1Reads } from '../../core/dto/index.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import type { Storage } from '../../core/storage/index.ts'
import { databaseClock, endpointOf, type Received } from '../../memberships/monitoring/index.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import { type Check, counted, found, ok, type TopicCheck, under } from './check.ts'
import { checkConfiguration } from './configuration.ts'
import { checkPlace } from './database.ts'
import { checkEvents, duration } from './events.ts'
import { checkPurchases } from './purchases.ts'
import { checkReach } from './reach.ts'
import { doctorQueries, type Readable } from './statements.ts'

/** A site as its own process sees it. */
export interface RunningSite {
  readonly config: Config
  readonly providers: ReadonlyMap<string, ConfiguredProvider>
  /** null skips every check that needs the database. */
  readonly storage: Pick<Storage, 'read' | 'dialect'> | null
  /** Folder that relative paths start from. */
  readonly folder: string
  readonly isProduction: boolean
  readonly now: () => Date
  readonly fileSystem?: (folder: string) => number
  readonly mayWrite?: (path: string) => boolean
}

/**
 * Checks a configured site: its settings, its providers' answers, its database and the rows in it. It reads
 * and asks, and changes nothing.
 */
export async function checkRunning(site: RunningSite): Promise<TopicCheck[]> {
  const { config, providers, storage, now } = site
  const cancelsEarly = [...providers].flatMap(([key, { provider }]) =>
    provider.capabilities?.cancels_early === true ? [key] : [],
  )
  const here = [...providers].flatMap(([key, { isHere }]) => (isHere ? [key] : []))
  const ownSite = config.url ?? `https://(your site)${config.base_path}`
  return [
    ...under('Configuration', checkConfiguration(config, site)),
    ...under('Configuration', checkVersion1Reads()),
    ...under('Providers', await checkReach(site)),
    ...under('Database', checkPlace({ ...config.database, ...site })),
    ...(storage === null
      ? []
      : [
          ...under('Database', await checkClock(storage, now)),
          ...under(
            'Events',
            await checkEvents(storage, { providers: [...providers.keys()], here, site: ownSite, now: now() }),
          ),
          ...under('Events', await checkWatching(storage, now())),
          ...under('Events', await checkNotifications(storage)),
          ...under('Purchases', await checkPurchases(storage, { config, now: now(), cancelsEarly })),
        ]),
  ]
}

/** Lists the places that asked for a field of version 1 since this process began. */
export function checkVersion1Reads(): Check[] {
  return version1Reads().map(({ name, place, advice }) =>
    found(
      'warning',
      'version-1-read',
      `${place} reads ${name} of a subscription, a field of version 1.`,
      advice,
    ),
  )
}

/**
 * Compares this machine's clock with that of a shared database. Processes respect each other's claims only
 * while their clocks are close.
 */
export async function checkClock(storage: Readable, now: () => Date): Promise<Check[]> {
  const theirs = await databaseClock(storage)
  if (theirs === null) return []
  const ahead = theirs - now().getTime()
  if (Math.abs(ahead) <= clockSkewMs)
    return [ok('database-clock', 'The clock of this server agrees with the database.')]
  return [
    found(
      'problem',
      'database-clock',
      `The clock of this server is ${duration(Math.abs(ahead))} ${ahead > 0 ? 'behind' : 'ahead of'} that of the database: servers that share it may do the same work at the same time.`,
      'Let a time service set the clock of every server (chrony, systemd-timesyncd).',
    ),
  ]
}

/** Checks what the running site noted about its providers: current troubles, and how events arrive. */
export async function checkWatching(storage: Readable, now: Date): Promise<Check[]> {
  const troubles = await doctorQueries.troubles(storage)
  const received = (await doctorQueries.deliveries(storage)).map(({ value }) => JSON.parse(value) as Received)
  return [
    ...troubles.map(({ kind, message, action, since }) =>
      found('problem', `trouble-${kind}`, `${message} Since ${since}.`, action),
    ),
    ...received.map((item) => ok('deliveries', sentenceOf(item, now))),
  ]
}

function sentenceOf(received: Received, now: Date): string {
  const { provider, account, last_delivery_at, usual_gap_seconds, failure_rate } = endpointOf(received, now)
  const name = account === '' ? provider : `${provider} (${account})`
  if (last_delivery_at === null) return `No event from ${name} was applied yet.`
  const ago = duration(now.getTime() - Date.parse(last_delivery_at))
  const usual =
    usual_gap_seconds === null ? '' : `, and up to ${duration(usual_gap_seconds * 1000)} pass without one`
  const rate = failure_rate === null ? '' : `; ${Math.round(failure_rate * 100)} % failed since yesterday`
  return `The last message of ${name} came ${ago} ago${usual}${rate}.`
}

/** Checks for changes that could not be notified, and for messages that were given up. */
export async function checkNotifications(storage: Readable): Promise<Check[]> {
  const [unnotified, givenUp] = await Promise.all([
    doctorQueries.unnotified(storage),
    doctorQueries.givenUp(storage),
  ])
  return [
    ...(unnotified[0] === undefined
      ? []
      : [
          found(
            'problem',
            'members-untold',
            `Hooks and mails fail for ${counted(unnotified.length, 'member')}: ${unnotified[0].owner_id}, ${unnotified[0].error}.`,
            'Mend what the reason says; it is tried again by itself, an hour later at most.',
          ),
        ]),
    ...(givenUp[0] === undefined
      ? []
      : [
          found(
            'problem',
            'messages-given-up',
            `${counted(givenUp.length, 'message')} gave up; the oldest: ${givenUp[0].kind}, ${givenUp[0].error}.`,
            `See them: membership outbox list --dead. When the cause is mended: membership outbox replay ${givenUp[0].seq}`,
          ),
        ]),
  ]
}
