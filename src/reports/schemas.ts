import { z } from 'zod'
import { isoTime } from '../core/dto/schema-parts.ts'
import { type ErrorCode, errorStatus } from '../core/errors.ts'
import { certainties } from './detection/index.ts'
import { reasons } from './visit/index.ts'

/** Every schema that has a name in the OpenAPI document. */
export const schemas = z.registry<{ id: string }>()

function named<S extends z.ZodType>(id: string, description: string, schema: S): S {
  const described = schema.describe(description)
  schemas.add(described, { id })
  return described
}

/** States of a website in the index; with time `unreachable` becomes `gone`, then `archived`. */
export const reportStatuses = ['pending', 'listed', 'rejected', 'unreachable', 'gone', 'archived'] as const
/** A state of a website in the index. */
export type ReportStatus = (typeof reportStatuses)[number]
/** Sources of a website in the index. */
export const reportSources = ['crawler', 'partner', 'operator'] as const

const address = z.string().max(2100)
const text = z.string()

const certainty = z
  .enum(certainties)
  .describe('`probable` where the website says so itself, or one strong sign is there, and nothing else.')

/** `width` and `height` in pixels, `bytes` of the JPEG. */
export const previewSchema = named(
  'Preview',
  'The screenshot of a website.',
  z.strictObject({
    url: address.describe('The address of the JPEG. It needs no key.'),
    width: z.int(),
    height: z.int(),
    bytes: z.int(),
    custom: z.boolean().describe('Uploaded by the partner, as opposed to made by the index.'),
  }),
)

/** `confidence` is 0 to 100 points; `version` is null if the website does not reveal it. */
export const systemSchema = named(
  'System',
  'The content management system that was looked for.',
  z.strictObject({
    name: text,
    detected: z.boolean(),
    version: text.nullable().describe('The version, if the website shows it.'),
    confidence: z.int().min(0).max(100).describe('Points of 100.'),
    certainty: certainty.optional(),
  }),
)

/** Matched text, at most 200 characters, and its points. */
export const evidenceSchema = named(
  'Evidence',
  'One sign of the system.',
  z.strictObject({
    channel: text.describe('The place of the sign: header, cookie, meta, script, link, asset or dom.'),
    rule: text,
    matched: z.string().max(200),
    weight: z.int(),
  }),
)

/** Result of a visit; `reason` says why a website could not be read, and is null otherwise. */
export const checkSchema = named(
  'Check',
  'One visit to the website.',
  z.strictObject({
    at: isoTime,
    outcome: z.enum(['listed', 'rejected', 'unreachable']),
    reason: text.nullable(),
    http_status: z.int().nullable(),
    milliseconds: z.int().nullable(),
    bytes: z.int().nullable(),
    changed: z.boolean(),
  }),
)

/** Included with `expand=1` only; `checks` holds at most ten visits, newest first. */
export const detailsSchema = named(
  'Details',
  'The details that expand=1 adds: signs of the system, facts of the last visit, and the visits before it.',
  z.strictObject({
    evidence: z.array(evidenceSchema),
    channels: z.array(text).describe('The places that were searched for signs.'),
    summary: text.nullable().describe('The signs in one line: "60 of 100: asset path; no generator".'),
    other_system: z
      .strictObject({ name: text, version: text.nullable(), certainty: certainty.optional() })
      .nullable()
      .optional()
      .describe('The system of the page instead, if it is known.'),
    icons: z.array(address),
    image_url: address.nullable().describe('The picture for social networks.'),
    http: z
      .strictObject({ status: z.int(), hops: z.array(address), bytes: z.int(), milliseconds: z.int() })
      .nullable(),
    cut: z
      .strictObject({
        at: z.enum(['size', 'tags', 'depth']).describe('1 MB, 50 000 tags, or 512 levels.'),
        head_tail_read: z.boolean().describe('The end of a head that was cut was read after all.'),
      })
      .nullable()
      .optional()
      .describe('The size at which the page was cut. Signs beyond it are not seen.'),
    checks: z.array(checkSchema).describe('Newest first, ten at most.'),
  }),
)

/** Contains the address that was given and the one it led to; moments are ISO 8601 UTC. */
export const reportSchema = named(
  'Report',
  'One listed website.',
  z.strictObject({
    id: text,
    url: address.describe('As it was added.'),
    final_url: address.nullable().describe('Where it led to.'),
    host: text,
    title: text.nullable(),
    description: text.nullable(),
    language: text.nullable().describe('A BCP 47 tag.'),
    favicon_url: address.nullable(),
    preview: previewSchema.nullable(),
    system: systemSchema,
    status: z.enum(reportStatuses),
    status_reason: text
      .nullable()
      .describe(
        `Why it is not listed: ${reasons.join(', ')}, system-not-detected, or what the operator wrote.`,
      ),
    source: z.enum(reportSources).describe('The source of the website: crawler, partner or operator.'),
    first_seen_at: isoTime,
    checked_at: isoTime.nullable(),
    next_check_at: isoTime.nullable(),
    created_at: isoTime,
    updated_at: isoTime,
    details: detailsSchema.optional().describe('With expand=1.'),
  }),
)
/** A listed website as partners read it; JSON, moments as ISO 8601 UTC. */
export type Report = z.infer<typeof reportSchema>
/** Details that `expand=1` adds: evidence, HTTP facts and earlier checks. */
export type ReportDetails = z.infer<typeof detailsSchema>

/** Moment of the answer, and the full hour until which it is valid. */
export const metaSchema = named(
  'Meta',
  'Which state an answer shows. Caches are flushed at every full hour; your own changes show at once.',
  z.strictObject({
    generated_at: isoTime.describe('Nothing that happened later is in it.'),
    valid_until: isoTime.describe('The next full hour, UTC.'),
  }),
)

/** Answer to a request for one website. */
export const itemSchema = named(
  'ReportAnswer',
  'One website.',
  z.strictObject({ data: reportSchema, meta: metaSchema }),
)

/** Answer to a request for a list: `count` is the number on this page, and `links.next` leads to the next. */
export const listSchema = named(
  'ReportList',
  'A page of your websites, newest first.',
  z.strictObject({
    data: z.array(reportSchema),
    meta: metaSchema.extend({ count: z.int().describe('On this page.') }),
    links: z.strictObject({
      self: address,
      next: address.nullable().describe('The next page; null on the last one.'),
    }),
  }),
)

/**
 * Outcomes of a line. `taken` is in the index and not this partner's; `refused` is an address that is not
 * allowed.
 */
export const importOutcomes = [
  'added',
  'existing',
  'taken',
  'excluded',
  'rejected',
  'unreachable',
  'refused',
  'invalid',
  'duplicate',
] as const

/** The import with the current state of all its lines; `done` counts those with an outcome. */
export const importSchema = named(
  'Import',
  'A list of websites that is worked off, one outcome for each line.',
  z.strictObject({
    data: z.strictObject({
      id: text,
      status: z.enum(['running', 'done']),
      created_at: isoTime,
      total: z.int(),
      done: z.int(),
      lines: z.array(
        z.strictObject({
          line: z.int(),
          text,
          url: address.nullable(),
          outcome: z.enum(importOutcomes).nullable().describe('null while it waits.'),
          detail: text.nullable(),
          report_id: text.nullable(),
        }),
      ),
    }),
  }),
)

/**
 * Kinds of notices to partners. A website went down, came back, went for good, or moved to another system; a
 * relink request made progress.
 */
export const noticeKinds = [
  'down',
  'back',
  'gone',
  'archived',
  'moved',
  'relink-requested',
  'relink-objected',
  'relink-declined',
  'relinked',
  'unlinked',
] as const
/** One of {@link noticeKinds}. */
export type NoticeKind = (typeof noticeKinds)[number]

/** Oldest first; `links.next` always continues, also from the newest page to future notices. */
export const noticesSchema = named(
  'Notices',
  'Changes of your websites, oldest first. Keep following links.next: an empty page means that nothing is new.',
  z.strictObject({
    data: z.array(
      z.strictObject({
        id: text,
        at: isoTime,
        kind: z.enum(noticeKinds),
        report_id: text,
        url: address,
        details: z
          .record(z.string(), text.nullable())
          .describe(
            '`reason` of a failure, `system` that it moved to, `request` and `object_until` of a relink request.',
          ),
      }),
    ),
    meta: z.strictObject({
      count: z.int().describe('On this page.'),
      generated_at: isoTime.describe('Nothing that happened later is in it.'),
    }),
    links: z.strictObject({ self: address, next: address }),
  }),
)

/** `unproven`, `proven` and `objected` are open; the others are closed. */
export const relinkRequestStatuses = [
  'unproven',
  'proven',
  'objected',
  'linked',
  'declined',
  'withdrawn',
  'expired',
  'lapsed',
  'void',
  'undone',
] as const
/** One of {@link relinkRequestStatuses}. */
export type RelinkRequestStatus = (typeof relinkRequestStatuses)[number]

const relinkRequest = z.strictObject({
  id: text,
  url: address,
  role: z.enum(['claimant', 'holder']).describe('You asked for the website, or you have it.'),
  status: z.enum(relinkRequestStatuses),
  reason: text.nullable().describe('Why it was objected to, declined or closed.'),
  created_at: isoTime,
  proven_at: isoTime.nullable().describe('The last time that the proof was there.'),
  object_until: isoTime.nullable().describe('Until then the partner who has the website can object.'),
  report_id: text.nullable().describe('The id of the website, for the partner that it is linked to.'),
  proofs: z
    .strictObject({
      dns: z.strictObject({ name: text, type: z.literal('TXT'), value: text }),
      file: z.strictObject({ url: address, content: text }),
    })
    .nullable()
    .describe('Publish one of the two and leave it there; null for the partner who has the website.'),
  last_check: z
    .strictObject({
      at: isoTime,
      dns: z.enum(['found', 'not-found', 'failed']),
      file: z.enum(['found', 'not-found']),
    })
    .nullable(),
})

/** A request for a website that is already in the index. */
export const relinkRequestSchema = named(
  'RelinkRequest',
  'A wish for a website that is in the index already, with what proves it.',
  z.strictObject({ data: relinkRequest }),
)

/** The newest 200 requests, those of the partner and those about its websites. */
export const relinkRequestsSchema = named(
  'RelinkRequests',
  'Your relink requests, and those that concern your websites; newest first.',
  z.strictObject({ data: z.array(relinkRequest) }),
)

/** Body of every failure. Codes may add their own fields, so unknown ones pass. */
export const problemSchema = named(
  'Problem',
  'An error, after RFC 9457.',
  z.looseObject({
    type: text.describe('An address that explains the code.'),
    title: text,
    status: z.int(),
    code: z
      .enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]])
      .describe('Stable; programs look at this.'),
    detail: text.describe('What happened.'),
    action: text.optional().describe('The next step, ready to copy.'),
    id: text.optional().describe('The id of the report. It stays readable for 30 days.'),
    reason: text.optional().describe('Why an action is refused, or why a website could not be read.'),
    http_status: z.int().optional().describe('What the website answered.'),
    score: z.int().min(0).max(100).optional().describe('Points of 100 for the system.'),
    other_system: text.optional().describe('The system of the website instead, if it is known.'),
    certainty: certainty.optional(),
    channels: z.array(text).optional().describe('The places that were searched for signs of the system.'),
    evidence: z.array(evidenceSchema).optional().describe('The signs that were found.'),
  }),
)
