import { MembershipError } from '../../core/errors.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Outbox } from '../../core/jobs/outbox.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { User, Voiding } from '../members/index.ts'
import type { SelfService } from './self-service.ts'

/** Dependencies of changing an address and of taking it back. */
export interface EmailDeps {
  readonly storage: Storage
  readonly tokens: Tokens
  readonly outbox: Outbox
  readonly selfService: SelfService
  readonly voiding: Voiding
  readonly findMember: (id: string) => Promise<User | null>
  readonly now: () => Date
  readonly randomId: () => string
}

/** A link of an address change that does nothing any more. */
export const spentLink = (): MembershipError =>
  new MembershipError('ERR_LINK', 'This link is no longer good: it was used, is too old, or incomplete.', {
    action: 'Change your address again in your account.',
  })
