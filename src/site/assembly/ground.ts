import type { Config } from '../../core/config/index.ts'
import type { Counters } from '../../core/http/counters.ts'
import type { Log } from '../../core/log.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { ProviderDefinition } from '../../providers/contract.ts'
import type { MembershipOptions } from '../options.ts'

/** What everything is made of: given, opened, or read before the first room is built. */
export interface Ground {
  readonly options: MembershipOptions
  readonly config: Config
  readonly storage: Storage
  /** Where requests per minute are counted. */
  readonly counters: Counters
  readonly now: () => Date
  readonly log: Log
  readonly randomId: () => string
  readonly root: string | false
  readonly definitions: readonly ProviderDefinition[]
  /** The secrets that sign, newest first; read or made when the first is needed. */
  readonly secrets: () => readonly string[]
  readonly isProduction: boolean
  /** Since when members are told of; null where nobody ever was. */
  readonly toldSince: string | null
}
