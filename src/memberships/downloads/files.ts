import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Context } from 'koa'
import { z } from 'zod'
import { MembershipError } from '../../core/errors.ts'
import { fingerprint, type Tokens } from '../../core/http/tokens.ts'
import { lazy } from '../../core/lazy.ts'
import type { GateId, LimitId } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Limits } from '../limits/index.ts'
import type { CheckGate, User } from '../members/index.ts'
import { createEnding } from './statements.ts'

/** Terms of one link to a private file. */
export interface FileLink {
  /** Gates of which one has to be open, now and at each download. */
  readonly gate: GateId | readonly GateId[]
  /** The lifetime of the link: 10 minutes by default, a week at most. */
  readonly minutes?: number
  /** A counted allowance of the member's plans. Each link takes one from it with its first download. */
  readonly limit?: LimitId
  /** The name under which a browser saves the file; the file's own name by default. */
  readonly name?: string
  /** Shows the file in the browser, for pictures, sound and films. Default: false, the browser saves it. */
  readonly inline?: boolean
}

/** A file that a member may have now. */
export interface AllowedFile {
  /** The path below the folder, such as `books/one.pdf`. */
  readonly path: string
  readonly name: string
  readonly inline: boolean
  readonly memberId: string
}

/** Makes an address at which a storage service serves a file for a few seconds. */
export type PresignFile = (file: AllowedFile) => string | Promise<string>

export interface FilesDeps {
  readonly storage: Storage
  readonly tokens: Pick<Tokens, 'signFile' | 'fileOf'>
  readonly limits: Pick<Limits, 'use'>
  readonly checkGate: CheckGate
  readonly checkLimit: CheckGate
  readonly findMember: (id: string) => Promise<User | null>
  /** True for an account that is being deleted. */
  readonly isLocked: (memberId: string) => Promise<boolean>
  /** The absolute folder of private files. */
  readonly folder: string | null
  readonly accel: string | null
  readonly presign: PresignFile | null
  /** Empty if only the path is known. */
  readonly siteUrl: string
  readonly now: () => Date
}

const usualMinutes = 10
const mostMinutes = 7 * 24 * 60

const contentSchema = z.strictObject({
  member: z.string(),
  path: z.string(),
  gates: z.array(z.string()),
  name: z.string(),
  inline: z.boolean(),
  limit: z.string().nullable(),
  /** Milliseconds since 1970. */
  from: z.number(),
  until: z.number(),
})
type Content = z.infer<typeof contentSchema>

// The package reads ranges, and is needed for the first download alone.
const sender = lazy(() => import('send').then(({ default: send }) => send))

export interface Files {
  /**
   * Makes a link to a file for one member.
   * @throws ERR_USAGE for an impossible path or time, ERR_GATE_UNKNOWN, ERR_CONFIG where no folder is set
   */
  url(user: Pick<User, 'id'>, path: string, link: FileLink): string
  /** Answers a download. @throws as `open`, and ERR_LIMIT */
  serve(ctx: Context, token: string): Promise<void>
  /** Ends every link that a member has. */
  revoke(user: Pick<User, 'id'>): Promise<void>
}

/** Links to private files, and their downloads. A link is signed and stored nowhere. */
export function createFiles(deps: FilesDeps): Files {
  const { storage, tokens, limits, checkGate, checkLimit, folder, accel, presign, now } = deps
  const ending = createEnding(storage, now)

  const url = (user: Pick<User, 'id'>, path: string, link: FileLink): string => {
    if (presign === null && folder === null && accel === null)
      throw new MembershipError('ERR_CONFIG', 'This site has no private files.', {
        action: 'Set membership.files.folder or membership.files.accel, or give files: { presign }.',
      })
    requirePath(path)
    const gates = [link.gate].flat()
    for (const gate of gates) checkGate(gate)
    if (link.limit !== undefined) checkLimit(link.limit)
    const { minutes = usualMinutes } = link
    if (gates.length === 0 || !(minutes > 0 && minutes <= mostMinutes))
      throw new MembershipError(
        'ERR_USAGE',
        'A link to a file needs a gate, and lasts from a moment to a week, in minutes.',
      )
    const name = link.name ?? path.split('/').at(-1)!
    const from = now().getTime()
    const content: Content = {
      member: user.id,
      path,
      gates,
      name,
      inline: link.inline ?? false,
      limit: link.limit ?? null,
      from,
      until: from + Math.round(minutes * 60_000),
    }
    return `${deps.siteUrl}/membership/files/${tokens.signFile(content)}/${encodeURIComponent(name)}`
  }

  /**
   * Finds the file of a link, if its member may have it now.
   * @throws ERR_NOT_FOUND, ERR_LINK for a link that expired or was ended, ERR_GATED
   */
  const open = async (token: string): Promise<{ file: AllowedFile; user: User; content: Content }> => {
    const { success, data: content } = contentSchema.safeParse(tokens.fileOf(token))
    if (!success) throw notFound()
    if (content.until <= now().getTime()) throw expired()
    const user = await deps.findMember(content.member)
    if (user === null || (await deps.isLocked(user.id))) throw notFound()
    if (await ending.hasEnded([content.member, user.id], 'files', content.from)) throw expired()
    if (!content.gates.some((gate) => user.hasGate(gate)))
      throw new MembershipError('ERR_GATED', 'Your membership does not include this file any more.', {
        action: 'See the prices: /membership/prices',
      })
    const { path, name, inline } = content
    return { file: { path, name, inline, memberId: user.id }, user, content }
  }

  /** Counts the first download by a link. @throws ERR_LIMIT when nothing is left */
  const count = async (ctx: Context, token: string, { limit }: Content, user: User): Promise<void> => {
    if (limit !== null && ctx.method === 'GET')
      await limits.use(user, limit, 1, { key: `file:${fingerprint(token)}` })
  }

  const serve = async (ctx: Context, token: string): Promise<void> => {
    const { file, user, content } = await open(token)
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('X-Robots-Tag', 'noindex')
    ctx.set('X-Content-Type-Options', 'nosniff')
    if (presign !== null) {
      await count(ctx, token, content, user)
      ctx.redirect(await presign(file))
      return
    }
    const place = folder === null ? null : await placeOf(folder, file.path)
    await count(ctx, token, content, user)
    ctx.attachment(file.name, { type: file.inline ? 'inline' : 'attachment' })
    if (accel !== null) {
      ctx.set('X-Accel-Redirect', accel + file.path.split('/').map(encodeURIComponent).join('/'))
      // nginx knows the type of the file, and sends its own.
      ctx.body = ''
      ctx.remove('Content-Type')
      return
    }
    await sendFile(ctx, place!)
  }

  return {
    url,
    serve,
    revoke: async ({ id }: Pick<User, 'id'>): Promise<void> => {
      await storage.commit(ending.steps(id, 'files'))
    },
  }
}

/** @throws ERR_USAGE for a path that leaves the folder, or names no file */
function requirePath(path: string): void {
  const parts = path.split('/')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no name of a file has them
  const isSafe = !/[\\\u0000-\u001f\u007f]/.test(path) && path.length <= 500
  if (isSafe && parts.every((part) => part !== '' && !part.startsWith('.'))) return
  throw new MembershipError('ERR_USAGE', 'A private file is named by its path below the folder.', {
    action: 'Write it such as books/one.pdf: no "..", no leading slash or dot, no backslash.',
  })
}

/** The real place of a file inside the folder. @throws ERR_NOT_FOUND, also for a link that leads out of the folder */
async function placeOf(folder: string, path: string): Promise<string> {
  try {
    const [root, place] = await Promise.all([realpath(folder), realpath(join(folder, path))])
    if (place.startsWith(root.endsWith(sep) ? root : root + sep) && (await stat(place)).isFile()) return place
  } catch {
    // It is missing, or may not be read.
  }
  throw notFound()
}

/** Sends a file with ranges and conditions. The caller has set the headers that say who may keep it. */
async function sendFile(ctx: Context, place: string): Promise<void> {
  const send = await sender()
  ctx.status = 200
  // From here on the stream writes the answer, as the package does it for Node.
  ctx.respond = false
  await new Promise<void>((done, failed) => {
    send(ctx.req, encodeURI(place.split(sep).join('/')), {
      cacheControl: false,
      dotfiles: 'allow',
      index: false,
      etag: true,
    })
      .on('error', failed)
      .on('directory', () => failed(notFound()))
      .pipe(ctx.res)
      .once('close', done)
      .once('finish', done)
  }).catch((error: { status?: number; headers?: Record<string, string> }) => {
    ctx.respond = true
    if (error.status === 416) {
      ctx.status = 416
      ctx.set(error.headers ?? {})
      ctx.body = ''
      return
    }
    throw error.status === 404 ? notFound() : error
  })
}

function notFound(): MembershipError {
  return new MembershipError('ERR_NOT_FOUND', 'There is no file at this address.')
}

function expired(): MembershipError {
  return new MembershipError('ERR_LINK', 'This link to a file has expired.', {
    action: 'Open the page again that had the link.',
  })
}
