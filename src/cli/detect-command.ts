import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import type { Membership } from '../site/membership.ts'
import { type Common, common } from './flags.ts'
import { columns, print } from './output.ts'
import { withSite } from './site.ts'

type Found = Awaited<ReturnType<Membership['reports']['detect']>>
type Seen = Exclude<Found['finding'], { kind: 'unreachable' }>
type Detection = Seen['detection']

/** `membership detect <url>` */
export function detectCommand(): Command {
  return common(new Command('detect').argument('<url>', 'its address'))
    .option('--explain', 'show every sign and every address that was visited')
    .option('--probe', 'also ask for the system’s own pages, such as its login')
    .addHelpText(
      'after',
      '\nOnly the public web is visited. Exits with 0 when the system was detected, 2 when not, 1 on an error.' +
        '\n\nExamples:\n  membership detect https://example.com\n  membership detect example.com --explain --json',
    )
    .action(async (url: string, flags: Common & { explain?: boolean; probe?: boolean }) => {
      const { value, lines } = await withSite(flags, (m) => detectIn(m, url, flags), { absent: 'memory' })
      print(flags, value, lines)
      if (!value.detected) process.exitCode = 2
    })
}

/**
 * Detects a website's system and returns it as the command prints it.
 * @throws ERR_SITE_UNREACHABLE, ERR_URL_NOT_ALLOWED
 */
export async function detectIn(
  m: Membership,
  url: string,
  { explain = false, probe = false }: { explain?: boolean; probe?: boolean },
) {
  const { finding, other } = await m.reports.detect(url, { probe })
  if (finding.kind === 'unreachable') throw unreachable(url, finding)
  const { page, detection } = finding
  return {
    value: {
      url: page.url,
      ...shown(detection, explain),
      other: other && shown(other, explain),
      ...(explain
        ? {
            page: {
              status: page.status,
              hops: page.hops,
              bytes: page.bytes,
              milliseconds: page.milliseconds,
            },
          }
        : {}),
    },
    lines: [
      detection.detected
        ? `${nameOf(detection)}, ${detection.score} of 100: ${page.url}`
        : `No ${detection.name}, ${detection.summary}: ${page.url}`,
      ...(other ? [`It runs ${nameOf(other)}, ${other.score} of 100.`] : []),
      ...(explain ? explained(finding, other) : []),
    ],
  }
}

function shown(detection: Detection, explain: boolean) {
  return {
    system: detection.system,
    name: detection.name,
    detected: detection.detected,
    version: detection.version,
    score: detection.score,
    ...(explain
      ? { summary: detection.summary, channels: detection.channels, evidence: detection.evidence }
      : {}),
  }
}

function nameOf({ name, version }: Detection): string {
  return version === null ? name : `${name} ${version}`
}

function explained({ page, scan, detection }: Seen, other: Detection | null): string[] {
  return [
    ...[detection, ...(other ? [other] : [])].flatMap((entry) => [
      '',
      `Signs of ${entry.name}`,
      ...signLines(entry),
      `  looked in: ${entry.channels.join(', ')}`,
    ]),
    '',
    `Read ${page.bytes} bytes in ${page.milliseconds} ms, HTTP ${page.status}: ${page.hops.join(' → ')}`,
    ...(scan.stopped === null ? [] : [`Not read to its end: ${stops[scan.stopped]}.`]),
  ]
}

function signLines({ evidence }: Detection): string[] {
  return evidence.length === 0
    ? ['  none']
    : evidence.flatMap(({ channel, rule, matched, weight }) => [
        ...columns([[`  ${String(weight).padStart(3)}`, channel.padEnd(6), matched]]),
        `       by the rule ${rule}`,
      ])
}

const stops = { depth: 'too deeply nested', tags: 'too many tags', size: 'more than 1 MB' }

function unreachable(
  url: string,
  { reason, httpStatus }: Extract<Found['finding'], { kind: 'unreachable' }>,
) {
  return new MembershipError(
    'ERR_SITE_UNREACHABLE',
    `${url.slice(0, 200)} could not be read: ${reason}${httpStatus === null ? '' : ` (HTTP ${httpStatus})`}.`,
    { action: actions[reason] ?? 'Open the address in a browser, and try again when it answers there.' },
  )
}

const actions: Partial<Record<string, string>> = {
  dns: 'Look for a typing error, and at this machine’s network and name service.',
  'robots-disallowed': 'The website’s robots.txt keeps us out; ask its owner.',
  'rate-limited': 'The website asks for patience: try again later.',
  'redirect-not-allowed': 'It leads to where we do not go; give the address at which everybody reaches it.',
}
