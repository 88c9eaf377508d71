import type { z } from 'zod'

/** A provider as the configuration sees it; what `defineProvider` returns fits. */
export interface DefinitionLike {
  readonly key: string
  readonly options: z.ZodType
  /** Lives in the process and gives memberships away: not for production. */
  readonly inProcess?: boolean
  /** The beginnings of its secrets: such a text is shown nowhere. */
  readonly secrets?: { readonly prefixes?: readonly string[] }
  create(context: never): unknown
}

/** A provider that is loaded once it is known to be configured. */
export interface ListedDefinition<D> {
  readonly key: string
  load(): Promise<D>
}

/** True for an object or a class that has what a provider definition needs. */
export const isDefinition = (value: unknown): value is DefinitionLike => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const { key, options, create } = value as Partial<Record<'key' | 'options' | 'create', unknown>>
  const isSchema = typeof options === 'object' && options !== null && 'safeParseAsync' in options
  return typeof key === 'string' && typeof create === 'function' && isSchema
}

/** The definitions themselves, in their order. */
export const loadAll = <D extends DefinitionLike>(
  given: readonly (D | ListedDefinition<D>)[],
): Promise<D[]> => Promise.all(given.map((item) => ('create' in item ? item : item.load())))
