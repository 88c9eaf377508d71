import { normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { laterThan, retryOnConflict, type Step, type Storage } from '../../core/storage/index.ts'
import { createAccountDoor, createAccountReader, type StoredAccount, type User } from '../members/index.ts'
import { type Addresses, createAddresses } from './addresses.ts'
import { deletionStatements } from './deletion-statements.ts'
import {
  type Field,
  type FieldProblem,
  type FieldReason,
  type Fields,
  type FieldsOf,
  fieldName,
  readReason,
  reasonIn,
  valueSchema,
} from './fields.ts'

/** The result of an update. */
export interface Updated {
  /** The fields whose value changed. */
  readonly changed: readonly string[]
  /** The values that payment providers should receive. */
  readonly customer: { readonly name?: string | null; readonly email?: string }
  /** A new address that its owner still has to confirm. Send a link there, whoever owns it. */
  readonly emailChange: { readonly from: string | null; readonly to: string } | null
}

/** Options of an update besides its values. */
export interface UpdateOptions {
  /** The fields that the form showed. A shown toggle or list that was not sent is off, or empty. */
  readonly shown?: readonly string[]
  /** Further steps of the unit that saves the change, such as messages to payment providers. */
  readonly also?: (customer: Updated['customer']) => readonly Step[]
}

/** Lets members read and change their own account, as far as the site's blueprint allows. */
export interface SelfService {
  /**
   * Returns the fields that this member may see, with their values.
   * @throws ERR_CONFIG
   */
  readable(user: User): Record<string, unknown>
  /**
   * Saves all values or none.
   * @throws ERR_FORM with `fields` as an extension: each rejected field and its reason
   */
  update(
    user: Pick<User, 'id'>,
    input: Readonly<Record<string, unknown>>,
    options?: UpdateOptions,
  ): Promise<Updated>
  /**
   * Confirms an address after its link was opened. `from`: the address that the link replaces.
   * @throws ERR_FORM when the address was taken meanwhile, or the account has changed since
   */
  confirmEmail(memberId: string, email: string, from?: string | null): Promise<Updated>
  /** Sets the language of the member's pages and mails. */
  setLanguage(memberId: string, language: string): Promise<void>
  /**
   * Changes the address in one unit with its consequences.
   * @throws ERR_FORM
   */
  readonly changeEmail: Addresses['change']
}

export interface SelfServiceDeps {
  readonly storage: Storage
  readonly fieldsOf: FieldsOf
  readonly now: () => Date
  /** The steps that queue a notification about the changed member. */
  readonly noteChange?: (memberId: string) => readonly Step[]
}

const maxInput = 100

/** Refuses to change an account that does not exist (ERR_NOT_FOUND) or is being deleted (ERR_FORM). */
export function createSelfService(deps: SelfServiceDeps): SelfService {
  const { storage, fieldsOf, now, noteChange = () => [] } = deps
  const accounts = createAccountReader(storage)
  const account = createAccountDoor(storage)
  const { find: deletionOf } = deletionStatements(storage)

  const find = async (id: string): Promise<StoredAccount> => {
    const row = await accounts.findById(id)
    if (!row) throw new MembershipError('ERR_NOT_FOUND', 'There is no such account.')
    const [deletion] = await storage.all(deletionOf, { member_id: id })
    if (deletion)
      throw new MembershipError('ERR_FORM', 'This account is being deleted and cannot be changed any more.')
    return row
  }

  const update: SelfService['update'] = ({ id }, input, { shown = [], also = () => [] } = {}) =>
    retryOnConflict(async () => {
      const row = await find(id)
      const fields = fieldsOf(JSON.parse(row.roles) as string[])
      const values = valuesOf(fields, input, shown)
      const { next, changed, emailChange } = changesOf(row, values)
      const customer = changed.includes('name') ? { name: next.name } : {}
      if (changed.length > 0)
        await storage.commit([
          account.changeProfile({ ...next, before: row.updated_at, updated_at: laterThan(row, now()) }),
          ...(changed.includes('name') ? also(customer) : []),
        ])
      return { changed, customer, emailChange }
    })

  const addresses = createAddresses({ storage, now, findRow: find, noteChange })

  const confirmEmail: SelfService['confirmEmail'] = async (memberId, email, from) =>
    (await addresses.change({ memberId, email, isProved: true, from }))
      ? { changed: ['email'], customer: { email: normalEmail(email)! }, emailChange: null }
      : nothing

  return {
    readable: (user) => readableOf(fieldsOf(user.roles), user),
    update,
    setLanguage: async (memberId, language) => {
      const row = { id: memberId, language, updated_at: now().toISOString() }
      await storage.commit([account.setLanguage(row)])
    },
    confirmEmail,
    changeEmail: addresses.change,
  }
}

const nothing: Updated = { changed: [], customer: {}, emailChange: null }

function readableOf(fields: Fields, user: User): Record<string, unknown> {
  const shown = [...fields.values()].filter((field) => field.read)
  return Object.fromEntries(shown.map((field) => [field.name, shownValue(field, user)]))
}

function shownValue({ name, default: unset }: Field, user: User): unknown {
  const value = name === 'name' || name === 'email' || name === 'language' ? user[name] : user.content(name)
  return value ?? unset ?? null
}

/**
 * The values to store, by field.
 * @throws ERR_FORM
 */
function valuesOf(
  fields: Fields,
  input: Readonly<Record<string, unknown>>,
  shown: readonly string[],
): ReadonlyMap<string, unknown> {
  const given = Object.entries(input)
  if (given.length > maxInput) throw new MembershipError('ERR_FORM', `Send at most ${maxInput} fields.`)
  const sent = new Map(given.map(([key, value]) => [fieldName(key), value]))
  for (const name of shown.map(fieldName)) {
    const field = fields.get(name)
    if (field?.update && !sent.has(name) && isLeftOut(field)) sent.set(name, null)
  }
  const values = new Map<string, unknown>()
  const problems = new Map<string, FieldProblem>()
  for (const [name, value] of sent) {
    const field = fields.get(name)
    const parsed = field?.update ? valueSchema(field).safeParse(value) : null
    if (parsed?.success) values.set(name, parsed.data)
    else {
      const why: FieldReason = parsed ? readReason(parsed.error.issues[0]?.message) : { reason: 'closed' }
      problems.set(name.slice(0, 100), { ...why, label: field?.label ?? name, labels: field?.labels ?? {} })
    }
  }
  if (problems.size === 0) return values
  throw notTaken(problems)
}

function notTaken(problems: ReadonlyMap<string, FieldProblem>): MembershipError {
  const names = [...problems.keys()]
  const texts = new Map([...problems].map(([name, why]) => [name, reasonIn(why)]))
  return new MembershipError(
    'ERR_FORM',
    names.length === 1
      ? `The field "${names[0]}" was not taken: ${texts.get(names[0]!)}`
      : `These fields were not taken: ${names.join(', ')}.`,
    {
      action: 'Correct the fields and send the form again.',
      // Programs read the texts. A page words the reasons in its reader's language.
      extensions: { fields: Object.fromEntries(texts), reasons: Object.fromEntries(problems) },
    },
  )
}

// Browsers send nothing for an unticked box.
function isLeftOut({ type }: Field): boolean {
  return type === 'toggle' || type === 'checkboxes' || type === 'multiselect' || type === 'tags'
}

function changesOf(row: StoredAccount, values: ReadonlyMap<string, unknown>) {
  const content = JSON.parse(row.content) as Record<string, unknown>
  const next = { id: row.id, name: row.name, language: row.language, content: row.content }
  const changed: string[] = []
  let emailChange: Updated['emailChange'] = null
  for (const [name, value] of values)
    if (name === 'email') {
      const to = normalEmail(value as string | null)
      if (to !== null && to !== row.email) emailChange = { from: row.email, to }
    } else if (name === 'name' || name === 'language') {
      if (next[name] === value) continue
      next[name] = value as string | null
      changed.push(name)
    } else if (JSON.stringify(content[name] ?? null) !== JSON.stringify(value)) {
      content[name] = value
      changed.push(name)
    }
  if (changed.length > 0) next.content = JSON.stringify(content)
  return { next, changed, emailChange }
}
