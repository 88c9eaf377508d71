import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { onePage } from '../../core/listing.ts'
import { type Storage, step } from '../../core/storage/index.ts'
import type { Actor, Audit } from '../audit.ts'
import type { PartnerRow, Statements } from '../statements/index.ts'

export interface PartnersDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly audit: Audit
  readonly now: () => Date
  readonly randomId: () => string
  /** Called after keys were blocked or admitted again. */
  readonly onStatus: () => void
}

/** Partners of the index, who may have keys and websites. */
export function createPartners({ storage, statements, audit, now, randomId, onStatus }: PartnersDeps) {
  /**
   * Returns a partner's name and address as they would be stored.
   * @throws ERR_USAGE when the address is taken or invalid
   */
  const check = async (partner: {
    name: string
    email: string
  }): Promise<{ name: string; email: string }> => {
    const email = normalEmail(partner.email)
    const name = partner.name.trim()
    if (name === '' || name.length > 200)
      throw new MembershipError('ERR_USAGE', 'A partner needs a name of at most 200 characters.', {
        action: 'membership partners add --name "Ann’s studio" --email ann@example.com',
      })
    if (!isEmail(email))
      throw new MembershipError('ERR_USAGE', `"${partner.email.slice(0, 100)}" is no e-mail address.`, {
        action: 'membership partners add --name "Ann’s studio" --email ann@example.com',
      })
    if ((await storage.all(statements.partnerByEmail, { email })).length > 0)
      throw new MembershipError('ERR_USAGE', `There is a partner with the address ${email} already.`, {
        action: 'membership partners list',
      })
    return { name, email }
  }

  /** @throws ERR_USAGE when the address is taken or invalid */
  const add = async (
    partner: { name: string; email: string },
    actor: Actor = 'operator',
  ): Promise<PartnerRow> => {
    const { name, email } = await check(partner)
    const at = now().toISOString()
    const row = {
      id: `prt_${randomId()}`,
      name,
      email,
      status: 'active',
      version: 1,
      changed_at: at,
      crawled: 0,
      created_at: at,
    }
    await storage.commit([
      step(statements.partnerInsert, row),
      audit.step({ actor, action: 'partner-add', subject: row.id, details: { name, email } }),
    ])
    return row
  }

  /** Finds a partner by id or e-mail. @throws ERR_NOT_FOUND */
  const get = async (idOrEmail: string): Promise<PartnerRow> => {
    const [byId] = await storage.all(statements.partner, { id: idOrEmail })
    const [found] = byId
      ? [byId]
      : await storage.all(statements.partnerByEmail, { email: normalEmail(idOrEmail) ?? '' })
    if (found) return found
    throw new MembershipError('ERR_NOT_FOUND', `There is no partner "${idOrEmail.slice(0, 100)}".`, {
      action: 'membership partners list',
    })
  }

  /** Lists every partner with the number of its websites and working keys. */
  const list = async () => {
    const partners = await storage.read((db) => db.selectFrom('partners').selectAll().orderBy('created_at'))
    const websites = await storage.read((db) =>
      db
        .selectFrom('reports')
        .select((eb) => ['partner_id', eb.fn.countAll<number>().as('count')])
        .where('partner_id', 'is not', null)
        .groupBy('partner_id'),
    )
    const keys = await storage.read((db) =>
      db
        .selectFrom('api_keys')
        .select((eb) => ['partner_id', eb.fn.countAll<number>().as('count')])
        .where('revoked_at', 'is', null)
        .groupBy('partner_id'),
    )
    const countOf = (rows: { partner_id: string | null; count: number }[], id: string) =>
      Number(rows.find((row) => row.partner_id === id)?.count ?? 0)
    return partners.map((partner) => ({
      ...partner,
      websites: countOf(websites, partner.id),
      keys: countOf(keys, partner.id),
    }))
  }

  /** Blocks a partner's keys or admits them again; its websites stay unchanged. */
  const setStatus = async (
    idOrEmail: string,
    status: 'active' | 'suspended',
    actor: Actor = 'operator',
  ): Promise<PartnerRow> => {
    const partner = await get(idOrEmail)
    await storage.commit([
      step(statements.partnerStatus, { id: partner.id, status }),
      audit.step({ actor, action: `partner-${status}`, subject: partner.id }),
    ])
    onStatus()
    return { ...partner, status }
  }

  return { check, add, get, list: () => onePage(list()), setStatus }
}
export type Partners = ReturnType<typeof createPartners>
