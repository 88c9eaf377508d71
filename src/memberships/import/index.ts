import type { createImportFile, FileImported, FileImportRequest } from './import-file.ts'
import type {
  createImportProvider,
  ImportProvider,
  ProviderImported,
  ProviderImportRequest,
} from './import-provider.ts'

export { exportsOf, type Field, fields } from './exports.ts'
export type { FileImported } from './import-file.ts'
export type { ImportProvider, NamedPurchase, ProviderImported, Unmatched } from './import-provider.ts'
export { createLeftovers, type Leftover, type Leftovers, type LeftRow } from './leftovers.ts'

/** Imports a provider or a file. */
export interface Import {
  (request: ProviderImportRequest): Promise<ProviderImported>
  (request: FileImportRequest): Promise<FileImported>
}

/** Both imports under one name. Each is loaded on use, because few sites ever import, and only once. */
export function createImport(
  deps: Parameters<typeof createImportFile>[0] & Parameters<typeof createImportProvider>[0],
): Import {
  return (async (request: ProviderImportRequest | FileImportRequest) => {
    if ('file' in request) return (await import('./import-file.ts')).createImportFile(deps)(request)
    return (await openProviderImport(deps))(request)
  }) as Import
}

/** Loads the import of a provider. */
export async function openProviderImport(
  deps: Parameters<typeof createImportProvider>[0],
): Promise<ImportProvider> {
  return (await import('./import-provider.ts')).createImportProvider(deps)
}
