/** Hosts that `init` can write a site for. */
export const hosts = ['koa', 'express', 'fastify', 'hono', 'next', 'node'] as const
export type InitHost = (typeof hosts)[number]

/** Databases that `init` offers. */
export const databases = ['sqlite', 'postgres'] as const
/** Transports that `init` offers: a mail server, the log, or none. */
export const mailWays = ['log', 'smtp', 'none'] as const

/** Answers to the questions before a site is written. */
export interface InitAnswers {
  readonly host: InitHost
  readonly database: (typeof databases)[number]
  /** Key of the provider. */
  readonly provider: string
  readonly mails: (typeof mailWays)[number]
  /** System whose websites are listed, as in config/fingerprints; null means no index. */
  readonly index: string | null
}

/** A file that is copied as it is: the tarball that the package came from. */
export interface CopiedFile {
  readonly from: string
  /** Path from the site's folder. */
  readonly path: string
}

/** A file before and after the change. */
export interface PlannedFile {
  /** Path from the site's folder, with slashes. */
  readonly path: string
  /** null for a new file. */
  readonly before: string | null
  readonly after: string
  /** True if the file holds the site's secrets. Only added lines are shown. */
  readonly isSecret?: boolean
}
