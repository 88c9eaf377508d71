import type { Generated } from 'kysely'
import type { Json, Time } from './columns.ts'

/** What a member used of a limit: one row for what plans include, and one for each top-up and credit. */
interface LimitUsageTable {
  member_id: string
  name: string
  /** `day`, `week`, `month`, `year`, `period` or `once`; `topup:{provider}:{payment}`; `credit:{id}` */
  bucket: string
  starts_at: Time
  /** From then on, the next use begins a new count. */
  ends_at: Time
  used: number
  /** The amount that the last use was measured by. */
  amount: number
  /** The moment that the last use was judged by. */
  at: Time
  /** 0 nothing, 1 that little is left, 2 that nothing is left: what this count was notified of. */
  notified: Generated<number>
  /** In a merged account: what the account that stayed had used, or could use of its own, when it was merged. */
  kept_own: Generated<number | null>
}

/** Uses that name a key: the same key takes once. */
interface LimitKeysTable {
  member_id: string
  name: string
  key: string
  amount: number
  /** Where it was taken: `[bucket, amount][]`. */
  parts: Json
  taken_at: Time
  /** Until when it is only held; null once it is used. */
  held_until: Time | null
  released_at: Time | null
}

/** Amounts that operators gave by hand. */
interface LimitCreditsTable {
  id: string
  member_id: string
  name: string
  amount: number
  reason: string
  created_by: string
  created_at: Time
  expires_at: Time | null
  /** The merged account that it was given to: it goes back there when the merge is taken back. */
  moved_from: string | null
}

/** Tables of counted allowances. */
export interface LimitTables {
  limit_usage: LimitUsageTable
  limit_keys: LimitKeysTable
  limit_credits: LimitCreditsTable
}

/** The pages that a visitor or a member opened before a metered wall, in one period. */
interface WallCountsTable {
  /** `member:{id}` or `visitor:{id of the browser’s cookie}` */
  owner: string
  wall: string
  /** A mark of each page, each behind a comma. */
  pages: string
  used: number
  starts_at: Time
  ends_at: Time
  counted_at: Time
  /** When a login took a visitor’s pages along. */
  joined_at: Time | null
}

/** Tables of metered walls. */
export interface WallTables {
  wall_counts: WallCountsTable
}

/** A member's own address of a feed. */
interface FeedsTable {
  /** The hash of the token in the address. */
  token_hash: string
  member_id: string
  path: string
  /** With the secret of the site, it gives the token. */
  seed: string
  created_at: Time
  /** When more clients than usual had used it in one day. */
  shared_at: Time | null
}

/** The clients that used an address of a feed on one day. */
interface FeedClientsTable {
  token_hash: string
  /** Such as `2026-03-01` */
  day: string
  /** A keyed hash of the network and the program. */
  client: string
}

/** Members whose links from before a moment no longer work, those of merged accounts included. */
interface EndedLinksTable {
  member_id: string
  /** `files` or `feeds` */
  kind: string
  at: Time
}

/** Tables of private feeds and files. */
export interface DownloadTables {
  feeds: FeedsTable
  feed_clients: FeedClientsTable
  ended_links: EndedLinksTable
}
