/** The hosts that a site is written for. */
export const hosts = ['koa', 'express', 'fastify', 'hono', 'next', 'node'] as const
/** One of them. */
export type InitHost = (typeof hosts)[number]

/** The databases for memberships. */
export const databases = ['sqlite', 'postgres'] as const
/** The ways in which mails leave: by a mail server, to the log, or not at all. */
export const mailWays = ['log', 'smtp', 'none'] as const

/** The answers to the questions before a site is written. */
export interface InitAnswers {
  readonly host: InitHost
  readonly database: (typeof databases)[number]
  /** A provider's key. */
  readonly provider: string
  readonly mails: (typeof mailWays)[number]
  /** The system whose websites are listed, as in config/fingerprints; null: no index. */
  readonly index: string | null
}

/** One file as it is and as it shall be. */
export interface PlannedFile {
  /** From the site's folder, with slashes. */
  readonly path: string
  /** null: it is not there. */
  readonly before: string | null
  readonly after: string
  /** Holds secrets of the site's: nothing of it is shown but what is added. */
  readonly isSecret?: boolean
}
