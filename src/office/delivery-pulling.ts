import { MembershipError } from '../core/errors.ts'
import type { Pull } from '../memberships/webhooks/index.ts'
import type { Planned } from './planned-action.ts'

/** Fetches what a provider sent during a gap. */
export interface Pulling {
  readonly pull: Pull
  /** True if the provider lists past events. */
  readonly canPull: (provider: string) => boolean
}

/**
 * Plans to take in an account's events since a moment, each once.
 * @throws ERR_FORM
 */
export function pulledSince({ pull, canPull }: Pulling, text: (name: string) => string | null): Planned {
  const [provider, account, since] = [text('provider') ?? '', text('account') ?? '', text('since') ?? '']
  if (!canPull(provider) || !/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(since) || Number.isNaN(Date.parse(since)))
    throw new MembershipError('ERR_FORM', 'Choose a gap of a provider that tells past events.', {
      action: 'Go back to the received events and choose one.',
    })
  return {
    action: 'pull',
    memberId: null,
    subject: `${provider} ${account} ${since}`.slice(0, 200),
    fields: { provider, account, since },
    says: [{ key: 'do.pull.says', fill: { provider, at: since.slice(0, 16).replace('T', ' ') } }],
    run: async () => {
      const counted = { seen: 0, news: 0 }
      const which = account === '' ? {} : { account }
      for await (const { outcome } of pull(provider, new Date(since), which)) {
        counted.seen += 1
        if (outcome === 'processed') counted.news += 1
      }
      return counted
    },
    after: (result) => result,
    shown: (result) => ({ key: 'do.pull.shown', fill: result as { seen: number; news: number } }),
  }
}
