/** The person who reads; nobody who reads everything. */
export interface Reader {
  readonly allows: (gates: readonly string[]) => boolean
  /** Ends the request with Strapi's error for a wrong parameter. */
  readonly refuse: (message: string) => never
}

/** A row of Strapi's database with what was populated. */
export interface StoredDocument {
  documentId: string
  [attribute: string]: unknown
}

/** The parts of Strapi's models used here. */
export interface Models {
  getModel(uid: string): Model | undefined
  readonly db: { readonly metadata: { get(uid: string): { readonly attributes: StoredAttributes } } }
}
interface Model {
  readonly modelType?: string
  readonly options?: { readonly draftAndPublish?: boolean }
  readonly pluginOptions?: object
  readonly attributes: Readonly<Record<string, ModelAttribute>>
}
interface ModelAttribute {
  readonly type: string
  readonly enum?: readonly string[]
  readonly components?: readonly string[]
  readonly pluginOptions?: object
}
type StoredAttributes = Readonly<
  Record<
    string,
    {
      readonly type: string
      readonly target?: string
      readonly columnName?: string
      readonly searchable?: boolean
    }
  >
>

/** A change by Strapi's document service: https://docs.strapi.io/cms/api/document-service/middlewares */
export type DocumentWrite = (
  context: { readonly uid: string; readonly action: string; readonly params: { documentId?: string } },
  next: () => Promise<unknown>,
) => Promise<unknown>
export interface Documents {
  use(middleware: DocumentWrite): unknown
}

/** The group `pluginOptions.membership` of a content type, and of an attribute. */
interface TypeOptions {
  readonly requires?: string | readonly string[]
  /** Attributes that the document's gate closes. The rest of the document stays open. */
  readonly closes?: readonly string[]
}

type Group = Record<string, unknown>
type Where = Group

/**
 * Builds the rules of reading at Strapi's database layer. `constrain` changes the parameters of a query before it runs,
 * at each place where rows of a type come in: its own rows, populated ones, and those that a filter goes through.
 * `strip` takes closed attributes out of what was found.
 */
export function createReading(models: Models) {
  const known = new Map<string, Rules>()
  const rulesOf = (uid: string): Rules => {
    const found = known.get(uid) ?? readRules(models, uid)
    known.set(uid, found)
    return found
  }
  const relationsOf = (uid: string) =>
    Object.entries(models.db.metadata.get(uid).attributes).filter(([, { type }]) => type === 'relation')

  /** Conditions of the gate; empty if every document is open for this reader. */
  const gateOf = ({ allows }: Reader, uid: string): Where[] => {
    const { gates, requires } = rulesOf(uid)
    const open = gates.filter((gate) => allows([gate]))
    const isFree = requires.length === 0 || allows(requires)
    if (isFree && open.length === gates.length) return []
    const choices: Where[] = [
      ...(isFree ? [{ gate: { $null: true } }] : []),
      // Never unknown, as SQL has it: a `$not` around an unknown condition tells of the row.
      ...(open.length > 0 ? [{ $and: [{ gate: { $notNull: true } }, { gate: { $in: open } }] }] : []),
    ]
    // A condition that no row meets.
    return choices.length === 0 ? [{ id: { $null: true } }] : [{ $or: choices }]
  }
  /** Conditions of a row that this reader may see at all. */
  const visible = (reader: Reader, uid: string): Where[] => {
    const { isGated, closes, hasDrafts } = rulesOf(uid)
    if (!isGated) return []
    const gate = closes.size === 0 ? gateOf(reader, uid) : []
    return [...gate, ...(hasDrafts ? [{ publishedAt: { $notNull: true } }] : [])]
  }
  const isOpen = (reader: Reader, uid: string, row: Group): boolean => {
    const { gates, requires } = rulesOf(uid)
    if (!('gate' in row)) return gateOf(reader, uid).length === 0
    const { gate } = row
    if (gate === null) return requires.length === 0 || reader.allows(requires)
    return typeof gate === 'string' && gates.includes(gate) && reader.allows([gate])
  }
  const isVisible = (reader: Reader, uid: string, row: Group): boolean => {
    const { isGated, closes, hasDrafts } = rulesOf(uid)
    if (!isGated) return true
    if (hasDrafts && !row.publishedAt) return false
    return closes.size > 0 || isOpen(reader, uid, row)
  }

  /** Tells if an attribute is open, closed, or closed in some rows. */
  const stateOf = (reader: Reader, uid: string, name: string): 'open' | 'closed' | 'by-gate' => {
    const { attributes, closes } = rulesOf(uid)
    const gates = attributes.get(name)
    if (gates !== undefined && !reader.allows(gates)) return 'closed'
    return closes.has(name) && gateOf(reader, uid).length > 0 ? 'by-gate' : 'open'
  }
  /** Resolves a column's own name, which Strapi accepts in place of the attribute's. */
  const attributeOf = (uid: string, key: string): string => {
    const { attributes } = models.db.metadata.get(uid)
    if (key in attributes) return key
    const found = Object.entries(attributes).find(([, { columnName }]) => columnName === key)
    return found?.[0] ?? key
  }

  const filtered = (reader: Reader, uid: string, where: unknown): unknown => {
    if (Array.isArray(where)) return where.map((part) => filtered(reader, uid, part))
    if (!isPlain(where)) return where
    // Each key stands alone: Strapi joins the conditions of a relation into the object around it, over others.
    const parts = Object.entries(where).map(([key, value]): Where => {
      if (key === '$and' || key === '$or')
        return { [key]: Array.isArray(value) ? value.map((part) => filtered(reader, uid, part)) : value }
      if (key === '$not') return { $not: filtered(reader, uid, value) }
      const name = attributeOf(uid, key)
      const state = stateOf(reader, uid, name)
      if (state === 'closed') return reader.refuse(`Invalid key ${name}`)
      const { target } = models.db.metadata.get(uid).attributes[name] ?? {}
      const condition = { [key]: target === undefined ? value : throughRelation(reader, target, value) }
      return state === 'by-gate' ? { $and: [condition, ...gateOf(reader, uid)] } : condition
    })
    return parts.length === 1 ? parts[0] : { $and: parts }
  }
  const throughRelation = (reader: Reader, uid: string, value: unknown): unknown => {
    if (!isPlain(value)) return value
    const operators = Object.keys(value).filter((key) => key.startsWith('$'))
    // `{ $in: [1, 2] }` is about ids, and says nothing of a row.
    if (operators.length > 0 && !operators.every((key) => key === '$and' || key === '$or')) return value
    return { $and: [filtered(reader, uid, value), ...visible(reader, uid)] }
  }

  const checkOrder = (reader: Reader, uid: string, order: unknown): void => {
    if (Array.isArray(order)) for (const part of order) checkOrder(reader, uid, part)
    else if (typeof order === 'string') checkOrder(reader, uid, { [order]: 'asc' })
    else if (isPlain(order))
      for (const [key, value] of Object.entries(order)) {
        const name = attributeOf(uid, key)
        const { target } = models.db.metadata.get(uid).attributes[name] ?? {}
        // An order tells of values, also of those in hidden rows.
        const hides =
          stateOf(reader, uid, name) !== 'open' ||
          (target !== undefined && visible(reader, target).length > 0)
        if (hides) reader.refuse(`Invalid sort by ${name}`)
        if (target !== undefined) checkOrder(reader, target, value)
      }
  }

  /** Replaces Strapi's search over all texts by one over the open ones. */
  const searched = (reader: Reader, uid: string, text: string): Where => {
    const { attributes } = models.db.metadata.get(uid)
    const texts = Object.entries(attributes).filter(
      ([, { type, searchable }]) => searchable !== false && textTypes.has(type),
    )
    const found = texts.flatMap(([name]): Where[] => {
      const state = stateOf(reader, uid, name)
      if (state === 'closed') return []
      const condition = { [name]: { $containsi: text } }
      return [state === 'by-gate' ? { $and: [condition, ...gateOf(reader, uid)] } : condition]
    })
    return found.length === 0 ? { id: { $null: true } } : { $or: found }
  }

  const populated = (reader: Reader, uid: string, populate: unknown): unknown => {
    if (populate == null || populate === false) return populate
    const all = () => relationsOf(uid).map(([name]) => name)
    const wished = populate === true ? all() : typeof populate === 'string' ? [populate] : populate
    const groups = Array.isArray(wished) ? nested(wished) : wished
    if (!isPlain(groups)) return reader.refuse('Invalid populate')
    const result: Group = {}
    for (const [name, wish] of Object.entries(groups)) {
      const attribute = models.db.metadata.get(uid).attributes[name]
      if (attribute === undefined || wish === false || stateOf(reader, uid, name) === 'closed') continue
      result[name] = populatedBy(reader, { uid, name, target: attribute.target }, wish)
    }
    return result
  }
  const populatedBy = (
    reader: Reader,
    {
      uid,
      name,
      target,
    }: { readonly uid: string; readonly name: string; readonly target?: string | undefined },
    wish: unknown,
  ): unknown => {
    const params: Group = isPlain(wish) ? { ...wish } : {}
    if (target !== undefined) {
      constrain(reader, target, params)
      return params
    }
    // Rows of several types: each gets its own conditions.
    const { on, ...shared } = params
    const types = models.getModel(uid)?.attributes[name]?.components ?? []
    const given = isPlain(on) ? on : Object.fromEntries(types.map((type) => [type, shared]))
    const byType = Object.entries(given).map(([type, wished]): [string, Group] => {
      const own: Group = isPlain(wished) ? { ...wished } : {}
      constrain(reader, type, own)
      return [type, own]
    })
    // Without a list of types, `strip` decides on each row, and nothing is read behind it.
    return byType.length > 0 ? { on: Object.fromEntries(byType) } : {}
  }

  /** Changes the parameters of a query so that it finds only what this reader may see. */
  function constrain(reader: Reader, uid: string, params: Group): void {
    if (params.orderBy != null) checkOrder(reader, uid, params.orderBy)
    const given = params.where == null ? [] : [filtered(reader, uid, params.where)]
    const search = typeof params._q === 'string' && rulesOf(uid).closesAny ? [params._q] : []
    const conditions = [
      ...given,
      ...search.map((text) => searched(reader, uid, text)),
      ...visible(reader, uid),
    ]
    if (search.length > 0) delete params._q
    if (conditions.length > 0) params.where = conditions.length === 1 ? conditions[0] : { $and: conditions }
    if (Array.isArray(params.select) && rulesOf(uid).isGated)
      params.select = [...new Set([...params.select, 'gate'])]
    if (params.populate != null) params.populate = populated(reader, uid, params.populate)
  }

  /** Takes closed attributes out of rows, and rows out of relations whose query was not constrained. */
  function strip(
    reader: Reader,
    uid: string,
    found: unknown,
    { isConstrained }: { readonly isConstrained: boolean },
  ): void {
    for (const row of [found].flat()) {
      if (!isPlain(row)) continue
      const { attributes, closes } = rulesOf(uid)
      for (const name of new Set([...attributes.keys(), ...closes])) {
        const state = stateOf(reader, uid, name)
        if (state === 'closed' || (state === 'by-gate' && !isOpen(reader, uid, row))) delete row[name]
      }
      for (const [name, { target }] of relationsOf(uid)) {
        const value = row[name]
        const kept = [value].flat().filter((related) => {
          if (!isPlain(related)) return related != null
          const type = target ?? related.__type ?? related.__component
          if (typeof type !== 'string') return false
          if ((!isConstrained || target === undefined) && !isVisible(reader, type, related)) return false
          strip(reader, type, related, { isConstrained })
          return true
        })
        if (Array.isArray(value)) row[name] = kept
        else if (isPlain(value)) row[name] = kept[0] ?? null
      }
    }
  }

  /** Strips the answer to a change: a document, or `{ documentId, entries }`. */
  function stripChanged(reader: Reader, uid: string, result: unknown): unknown {
    if (!isPlain(result)) return result
    if (Array.isArray(result.entries))
      return { ...result, entries: result.entries.map((entry) => stripChanged(reader, uid, entry)) }
    if (!isVisible(reader, uid, result)) return { id: result.id, documentId: result.documentId }
    strip(reader, uid, result, { isConstrained: false })
    return result
  }

  return { constrain, strip, stripChanged, isGated: (uid: string) => rulesOf(uid).isGated }
}

const textTypes = new Set(['string', 'text', 'uid', 'email', 'enumeration', 'richtext'])

interface Rules {
  readonly isGated: boolean
  /** Choices of the attribute `gate`. */
  readonly gates: readonly string[]
  readonly requires: readonly string[]
  readonly closes: ReadonlySet<string>
  /** Gates of the attributes that have their own. */
  readonly attributes: ReadonlyMap<string, readonly string[]>
  readonly closesAny: boolean
  readonly hasDrafts: boolean
}

function readRules(models: Models, uid: string): Rules {
  const model = models.getModel(uid)
  const own = optionsIn(model?.pluginOptions, uid)
  const attributes = new Map<string, readonly string[]>()
  for (const [name, { pluginOptions }] of Object.entries(model?.attributes ?? {})) {
    const requires = [optionsIn(pluginOptions, `${uid}.${name}`)?.requires ?? []].flat()
    if (requires.length > 0) attributes.set(name, requires)
  }
  const closes = new Set(own?.closes ?? [])
  for (const name of closes)
    if (!(name in (model?.attributes ?? {})))
      throw new Error(`membership: ${uid} closes "${name}", which is no attribute of it.`)
  return {
    isGated: own !== undefined,
    gates: own === undefined ? [] : (model?.attributes.gate?.enum ?? []),
    requires: [own?.requires ?? []].flat(),
    closes,
    attributes,
    closesAny: attributes.size + closes.size > 0,
    hasDrafts: model?.options?.draftAndPublish === true,
  }
}

/**
 * Reads the group `membership` of a type or of an attribute.
 * @throws for an unknown name, which would close nothing
 */
export function optionsIn(pluginOptions: object | undefined, place: string): TypeOptions | undefined {
  const options = (pluginOptions as { membership?: TypeOptions } | undefined)?.membership
  const unknown = Object.keys(options ?? {}).find((name) => name !== 'requires' && name !== 'closes')
  if (unknown === undefined) return options
  throw new Error(
    `membership: ${place} has "${unknown}" in pluginOptions.membership, which closes nothing. Its names are requires and closes.`,
  )
}

/** Turns `['author', 'author.books']` into groups. */
function nested(paths: readonly unknown[]): Group {
  const result: Group = {}
  for (const path of paths) {
    const [root = '', ...rest] = String(path).split('.')
    const known = result[root] as { populate?: unknown[] } | undefined
    const deeper = rest.length > 0 ? [...(known?.populate ?? []), rest.join('.')] : known?.populate
    result[root] = deeper ? { populate: deeper } : {}
  }
  return result
}

function isPlain(value: unknown): value is Group {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
