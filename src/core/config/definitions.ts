import type { z } from 'zod'

/** A provider definition as far as the configuration needs it. Results of `defineProvider` match. */
export interface DefinitionLike {
  readonly key: string
  readonly options: z.ZodType
  /** Runs within the process and gives memberships away, so production refuses it. */
  readonly inProcess?: boolean
  /** Prefixes of the provider's secrets. Text that starts with one is never shown. */
  readonly secrets?: { readonly prefixes?: readonly string[] }
  create(context: never): unknown
}

/** A provider that is loaded only if it is configured. */
export interface ListedDefinition<D> {
  readonly key: string
  load(): Promise<D>
}

/** True for an object or class with everything that a provider definition needs. */
export function isDefinition(value: unknown): value is DefinitionLike {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const { key, options, create } = value as Partial<Record<'key' | 'options' | 'create', unknown>>
  const isSchema = typeof options === 'object' && options !== null && 'safeParseAsync' in options
  return typeof key === 'string' && typeof create === 'function' && isSchema
}

/** Loads the definitions, in the given order. */
export function loadAll<D extends DefinitionLike>(given: readonly (D | ListedDefinition<D>)[]): Promise<D[]> {
  return Promise.all(given.map((item) => ('create' in item ? item : item.load())))
}
