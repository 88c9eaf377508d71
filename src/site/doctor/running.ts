import type { Config } from '../../core/config/index.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import { type TopicCheck, under } from './check.ts'
import { checkClock } from './clock.ts'
import { checkConfiguration } from './configuration.ts'
import { checkPlace } from './database.ts'
import { checkEvents } from './events.ts'
import { checkNotifications } from './notifications.ts'
import { checkPurchases } from './purchases.ts'
import { checkReach } from './reach.ts'
import { checkWatching } from './watching.ts'

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

/** Checks a configured site: its settings, its providers' answers, its database and the rows in it. It
 *  reads and asks, and changes nothing. */
export const checkRunning = async (site: RunningSite): Promise<TopicCheck[]> => {
  const { config, providers, storage, now } = site
  const cancelsEarly = [...providers].flatMap(([key, { provider }]) =>
    provider.capabilities?.cancels_early === true ? [key] : [],
  )
  const here = [...providers].flatMap(([key, { isHere }]) => (isHere ? [key] : []))
  return [
    ...under('Configuration', checkConfiguration(config, site)),
    ...under('Providers', await checkReach(site)),
    ...under('Database', checkPlace({ ...config.database, ...site })),
    ...(storage === null
      ? []
      : [
          ...under('Database', await checkClock(storage, now)),
          ...under(
            'Events',
            await checkEvents(storage, { providers: [...providers.keys()], here, now: now() }),
          ),
          ...under('Events', await checkWatching(storage, now())),
          ...under('Events', await checkNotifications(storage)),
          ...under('Purchases', await checkPurchases(storage, { config, now: now(), cancelsEarly })),
        ]),
  ]
}
