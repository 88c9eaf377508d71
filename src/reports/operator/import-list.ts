import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Partners } from '../keys/partners.ts'
import type { Statements } from '../statements/index.ts'

const mostImports = 1000

/** Lists of partners' imports, for the operator. */
export const createImportList = (deps: { storage: Storage; statements: Statements; partners: Partners }) => {
  const { storage, statements, partners } = deps
  return {
    /** The newest lists, of one partner or of all, with how far they have come. @throws ERR_NOT_FOUND */
    imports: async (partner?: string) => {
      const partner_id = partner === undefined ? null : (await partners.get(partner)).id
      return storage.read((db) =>
        db
          .selectFrom('imports as i')
          .select(['i.id', 'i.partner_id', 'i.created_at', 'i.total'])
          .select((eb) =>
            eb
              .selectFrom('import_lines as l')
              .select((lines) => lines.fn.count<number>('l.outcome').as('done'))
              .whereRef('l.import_id', '=', 'i.id')
              .as('done'),
          )
          .$if(partner_id !== null, (query) => query.where('i.partner_id', '=', partner_id!))
          .orderBy('i.created_at', 'desc')
          .limit(mostImports),
      )
    },
    /** One list line by line. @throws ERR_NOT_FOUND */
    importOf: async (id: string) => {
      const [found] = await storage.read((db) => db.selectFrom('imports').selectAll().where('id', '=', id))
      if (!found)
        throw new MembershipError('ERR_NOT_FOUND', `There is no list "${id.slice(0, 60)}".`, {
          action: 'membership reports imports',
        })
      return { ...found, lines: await storage.all(statements.importLines, { import_id: id }) }
    },
  }
}
