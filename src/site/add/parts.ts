import type { Edit } from '../../migrate/edits.ts'
import type { CodeLanguage } from '../init/index.ts'

/** Something that `add` could not place: the words to write, and where. */
export interface Left {
  readonly file: string
  /** From 1; null if the whole file is meant. */
  readonly line: number | null
  readonly reason: string
  readonly text: string
}

/** Edits of one existing file. */
export interface EditedFile {
  readonly file: string
  readonly edits: readonly Edit[]
}

/** The parts of a host: new files, edits of existing ones, and the code left to a person. */
export interface HostParts {
  readonly created: Readonly<Record<string, string>>
  readonly edited: readonly EditedFile[]
  readonly left: readonly Left[]
  /** Packages that the host needs besides ours, with their ranges. */
  readonly packages?: Readonly<Record<string, string>>
  readonly notes?: readonly string[]
  /** Path of the example page, where the host puts something in front of it. */
  readonly page?: string
}

/** Facts about the project that decide where its options stand, and in which language. */
export interface Shape {
  /** File with the options, from the project's folder. */
  readonly config: string
  readonly language: CodeLanguage
  /** Code of the default of `membership.url`. */
  readonly url: string
  /** Address of the running site, for the reader. */
  readonly address: string
}

/** The gate of the example page, and its path. */
export interface Example {
  readonly gate: string
  readonly path: string
}

/** Joins lines of code as a file. */
export function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
