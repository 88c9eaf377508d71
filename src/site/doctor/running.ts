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
  /** null: what only the database knows is left out. */
  readonly storage: Pick<Storage, 'read' | 'dialect'> | null
  /** The folder that relative paths begin at. */
  readonly folder: string
  readonly isProduction: boolean
  readonly now: () => Date
  readonly fileSystem?: (folder: string) => number
  readonly mayWrite?: (path: string) => boolean
}

/**
 * Checks a configured site: its settings, if its providers answer, its database, and the rows in it. Reads and asks;
 * changes nothing.
 */
export const checkRunning = async (site: RunningSite): Promise<TopicCheck[]> => {
  const { config, providers, storage, now } = site
  return [
    ...under('Configuration', checkConfiguration(config, site)),
    ...under('Providers', await checkReach(site)),
    ...under('Database', checkPlace({ ...config.database, ...site })),
    ...(storage === null
      ? []
      : [
          ...under('Database', await checkClock(storage, now)),
          ...under('Events', await checkEvents(storage, { providers: [...providers.keys()], now: now() })),
          ...under('Events', await checkWatching(storage, now())),
          ...under('Events', await checkNotifications(storage)),
          ...under('Purchases', await checkPurchases(storage, { config, now: now() })),
        ]),
  ]
}
