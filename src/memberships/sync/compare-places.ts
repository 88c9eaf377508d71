import { MembershipError } from '../../core/errors.ts'
import type { ProviderReader, Ref } from '../../providers/contract.ts'
import type { Origin } from '../ledger/index.ts'

/** One account of a provider, with the reader to call. */
export interface Place {
  readonly key: string
  readonly account: string
  readonly provider: ProviderReader
}

/**
 * Lists the accounts that a request covers and that can be asked.
 * @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED
 */
export function placesOf(
  providers: ReadonlyMap<string, ProviderReader>,
  { provider: wanted }: { readonly provider?: string },
): Place[] {
  if (wanted !== undefined && !providers.has(wanted))
    throw new MembershipError('ERR_PROVIDER_UNKNOWN', `No provider "${wanted}" is configured.`, {
      action: `Name one of: ${[...providers.keys()].join(', ') || 'none'}.`,
    })
  const places = [...providers].flatMap(([key, main]) => {
    if (wanted !== undefined && key !== wanted) return []
    const accounts = main.accounts ?? new Map([[main.account ?? '', main]])
    return [...accounts].map(([account, provider]) => ({ key, account, provider }))
  })
  const able = places.filter(({ provider }) => provider.fetch !== undefined)
  if (able.length > 0) return able
  throw new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    wanted === undefined ? 'No provider can be asked.' : `${wanted} cannot be asked.`,
    { action: 'Configure its API key.' },
  )
}

/** Builds the origin of a fetched object. */
export function originOf({ key: provider, account }: Place, { kind, id }: Ref, at: string): Origin {
  return {
    provider,
    account,
    id: `compare:${kind}:${id}:${at}`,
    source: 'fetch',
    at,
    isFound: true,
  }
}
