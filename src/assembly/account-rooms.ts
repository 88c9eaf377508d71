import {
  createDeletions,
  createEmailChanges,
  createExport,
  createFields,
  createSelfService,
} from '../account/index.ts'
import { createCancelAll } from '../checkout/index.ts'
import type { Outbox } from '../jobs/outbox.ts'
import type { Ledger } from '../ledger/index.ts'
import { createLinks } from '../login/index.ts'
import type { Users } from '../members/index.ts'
import type { Provider } from '../providers/contract.ts'
import type { Tokens } from '../tokens/index.ts'
import type { Ground } from './ground.ts'
import type { createMailing } from './mailing.ts'

/** Login, self-service, export and deletion of accounts. */
export const createAccountRooms = (
  { config, storage, root, now, randomId, log, isProduction }: Ground,
  given: {
    tokens: Tokens
    outbox: Outbox
    users: Users
    ledger: Ledger
    mailing: ReturnType<typeof createMailing>
    providers: ReadonlyMap<string, Provider>
    /** The labels of a provider's webhook secrets. */
    accountsOf: (provider: string) => readonly string[]
  },
) => {
  const { tokens, outbox, users, ledger, mailing, providers } = given
  const fieldsOf = createFields({
    root,
    providerFields: new Set(Object.entries(config.providers).map(([key, p]) => p.field ?? key)),
    cache: isProduction,
  })
  const selfService = createSelfService({ storage, fieldsOf, now })
  const emailChanges = createEmailChanges({
    storage,
    tokens,
    outbox,
    selfService,
    findMember: users.findById,
    randomId,
    requireMails: mailing.requireMails,
    sendLink: mailing.sendAddressLink,
    tellOld: mailing.tellOldAddress,
  })
  const deletions = createDeletions({
    storage,
    findUser: users.findById,
    cancelAll: createCancelAll({ storage, ledger, providers, randomId }),
    accountsOf: given.accountsOf,
    farewell: (member) => outbox.steps(mailing.farewell(member)),
    now,
    log,
  })

  const links = createLinks({
    storage,
    users,
    tokens,
    outbox,
    toMessage: mailing.linkMessage,
    minutes: config.login.minutes,
    signup: config.login.signup,
    now,
    randomId,
  })
  return { fieldsOf, selfService, emailChanges, deletions, exportOf: createExport({ storage, now }), links }
}
