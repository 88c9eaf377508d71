import type { FileImported, FileImportRequest, ImportFile } from './import-file.ts'
import type { ImportProvider, ProviderImported, ProviderImportRequest } from './import-provider.ts'

export { createLeftovers, type Leftover, type Leftovers, type LeftRow } from './leftovers.ts'

/** Takes over what a provider has, or what a file says. */
export interface Import {
  (request: ProviderImportRequest): Promise<ProviderImported>
  (request: FileImportRequest): Promise<FileImported>
}

/** Both imports under one name. */
export const together = (ofProvider: ImportProvider, ofFile: ImportFile): Import =>
  ((request: ProviderImportRequest | FileImportRequest) =>
    'file' in request ? ofFile(request) : ofProvider(request)) as Import
