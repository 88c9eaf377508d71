import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A fault that was fixed: the lines that hold its fix, what stands there without it, and the histories that show it. */
export interface Fault {
  readonly name: string
  readonly fix: readonly { readonly file: string; readonly lines: string; readonly without: string }[]
  readonly histories: readonly string[]
}

const checkout = 'src/memberships/checkout'
const opening = 'src/core/access/opening.ts'

/** The faults at which features met, each with the history that must break when its fix is taken out. */
export const faults: readonly Fault[] = [
  {
    name: 'a paid membership is ended as a second trial',
    fix: [
      {
        file: 'src/memberships/trials/trials.ts',
        lines: ' || !(await isFreeTrial(place, found))',
        without: '',
      },
      {
        file: 'src/memberships/subscriptions/changes.ts',
        lines: "if (requestedBy.kind !== 'rule' || !guarded.has(kind)) return",
        without: 'return',
      },
    ],
    histories: [
      'a paid membership that is paused is no second trial, whoever else pays with that card',
      'free days of the dashboard are no second trial',
    ],
  },
  {
    name: 'a rejected refund can never be asked for again',
    fix: [
      {
        file: `${checkout}/refunds.ts`,
        lines: "last.outcome === 'done' && key !== null && !(await wasRejected(place, last.answer))",
        without: "last.outcome === 'done'",
      },
      {
        file: `${checkout}/refunds.ts`,
        lines: 'if (await wasRejected(place, answer)) continue',
        without: '',
      },
    ],
    histories: ['a refund that the provider rejected is asked for again'],
  },
  {
    name: 'a completed checkout whose subscription is not known does not block the next one',
    fix: [
      {
        file: `${checkout}/purchase-conflicts.ts`,
        lines: 'return !isKnown && completed > now().getTime() - dayMs',
        without: 'return false',
      },
    ],
    histories: ['a purchase of which only the page is known keeps the same person from the next one'],
  },
  {
    name: 'taking a switch back leaves ended what the switch ended',
    fix: [
      {
        file: 'src/memberships/switching/switch.ts',
        lines: "if (wasAsked && plan.kind === 'ends') {",
        without: "if (wasAsked && (plan.kind as string) === 'never') {",
      },
    ],
    histories: [
      'a switch that is taken back leaves nothing ended that it ended, also where the process died',
    ],
  },
  {
    name: 'free days of a switch open a dearer plan or more seats',
    fix: [
      {
        file: `${checkout}/checkout.ts`,
        lines:
          'if (!isSame || quantity > (held.quantity ?? 1)) throw notWhatWasPaid(until, held.quantity ?? 1)',
        without: '',
      },
    ],
    histories: [
      'free days of a switch are for what was paid: no dearer plan',
      'free days of a switch are for what was paid: no more seats',
    ],
  },
  {
    name: 'one payment opens two accounts after a switch, a merge and a merge-back',
    fix: [
      {
        file: 'src/memberships/merging/merging.ts',
        lines: 'if (await deps.continues(s, left)) found.push',
        without: 'if (found.length < 0) found.push',
      },
    ],
    histories: ['what was paid once opens one account after a switch, a merge and a merge-back'],
  },
  {
    name: 'a merge-back splits access that was paid until a day',
    fix: [
      {
        file: `${checkout}/paid-access.ts`,
        lines: 'ownerOf(user, subscription)?.merged_from ?? null',
        without: 'null',
      },
    ],
    histories: [
      'what is paid until a day belongs to its subscription: a merge-back splits nothing',
      'a refund takes away what was paid until a day, also after a merge and a merge-back',
    ],
  },
  {
    name: 'a merge-back takes purchases from whoever made them, and open pages stay payable',
    fix: [
      {
        file: `${checkout}/request.ts`,
        lines: ' && known.merged_from === undefined',
        without: '',
      },
      {
        file: 'src/memberships/merging/merging.ts',
        lines: 'await deps.closeCheckouts?.(',
        without: 'await (async (..._: unknown[]) => undefined)(',
      },
    ],
    histories: [
      'what was bought while merged stays with whoever bought it',
      'pages that two accounts left open are not both paid once they are one',
    ],
  },
  {
    name: 'access given to a merged account vanishes',
    fix: [
      {
        file: 'src/memberships/members/users.ts',
        lines: 'return row.merged_into === null ? id : currentId(row.merged_into)',
        without: 'return id',
      },
      {
        file: 'src/memberships/members/users.ts',
        lines: 'write(statements.grantInsert, { ...row, member_id, moved_from }, 1),\n          ]),',
        without:
          'write(statements.grantInsert, { ...row, member_id, moved_from }, 1),\n          ]).slice(1),',
      },
    ],
    histories: ['access that is given to a merged account reaches the kept one'],
  },
  {
    name: 'another selling account stops sales',
    fix: [
      {
        file: `${checkout}/settle.ts`,
        lines: 'const { id, account, checkout_id: checkoutId } = intent',
        without:
          "const { id, checkout_id: checkoutId } = intent\n    const account = providers.get(intent.provider)?.account ?? ''",
      },
      {
        file: `${checkout}/settle.ts`,
        lines: 'providerAt(providers, intent.provider, intent.account)',
        without: 'providers.get(intent.provider)',
      },
    ],
    histories: ['another selling account stops no sale'],
  },
  {
    name: 'seat changes at Lemon Squeezy are lost',
    fix: [
      {
        file: 'src/providers/lemonsqueezy/facts.ts',
        lines: 'return Date.parse(item) > Date.parse(own) ? item : own',
        without: 'return own',
      },
    ],
    histories: ['seats that change more than once are known as they are'],
  },
  {
    name: 'law of grounds: money that went back is named as paid',
    fix: [
      {
        file: 'src/core/access/decide-gate.ts',
        lines: "['goodwill', back.payment_id]",
        without: "['paid', back.payment_id]",
      },
    ],
    histories: ['a refund that the bank sends back leaves open what its payment covers'],
  },
  {
    name: 'the plans of today judge what was bought by those of before',
    fix: [
      {
        file: 'src/core/access/bought.ts',
        lines: 'for (const [id, sold] of soldIn(purchase) ?? [])',
        without: 'for (const [id, sold] of soldIn({}) ?? [])',
      },
    ],
    histories: ['other plans take nothing from what was bought by the plans of before'],
  },
  {
    name: 'law of money: money that opened nothing is noted by nobody',
    fix: [
      {
        file: opening,
        lines: 'if (!isPaid(p) || p.amount === 0 || !isPaidAfterEnd(s, p)) return false',
        without: 'if (p.amount >= 0) return false',
      },
    ],
    histories: ['money that comes when its period is over is noted once, also through a merge and its undo'],
  },
  {
    name: 'law of money: money that opened its period is noted, too',
    fix: [
      {
        file: opening,
        lines: 'if (openingOf(s, [whole], rules, new Date(p.paid_at!)) !== null) return false',
        without: '',
      },
    ],
    histories: ['money that comes after the end opens its period, and needs no note'],
  },
  {
    name: 'law of money: a one-time price on the invoice of a membership opens nothing',
    fix: [
      {
        file: 'src/core/access/decide-gate.ts',
        lines: ': isBoughtBeside(p, kept, plans, holdings.subscriptions)',
        without: ': isBoughtBeside(p, [], plans, holdings.subscriptions)',
      },
    ],
    histories: ['a book on the invoice of a membership opens like any other, and closes with its refund'],
  },
  {
    name: 'an unpaid extra charge closes a period that is paid',
    fix: [
      {
        file: opening,
        lines: "if (paid !== null) return { reason: 'subscription', until: isActive(s)",
        without: "if (paid !== null && isActive(s)) return { reason: 'subscription', until: isActive(s)",
      },
    ],
    histories: ['an unpaid extra charge closes nothing of a period that is paid'],
  },
  {
    name: 'the days after a failed renewal never end, and a debit renews them',
    fix: [
      {
        file: opening,
        lines: 'return until !== null && at < until ? {',
        without: 'return until !== null ? {',
      },
    ],
    histories: ['a debit that runs after an unpaid period opens nothing before it arrives'],
  },
  {
    name: 'a membership whose only payment went back has days of grace',
    fix: [{ file: opening, lines: " || p.status === 'refunded'", without: '' }],
    histories: ['a membership whose only payment went back has no days of grace'],
  },
  {
    name: 'a price that the provider charges otherwise is sold',
    fix: [
      {
        file: 'src/memberships/catalogue/catalogue.ts',
        lines: 'map((plan) => withoutWrong(plan, wrong))',
        without: 'map((plan) => withoutWrong(plan, new Map()))',
      },
    ],
    histories: ['a price that the provider charges otherwise is not sold'],
  },
  {
    name: 'law of paid time: what is paid after the end counts no time',
    fix: [
      {
        file: 'src/core/access/paid-time.ts',
        lines: 'Date.parse(restAfterEnd(s, own, rules) ?? over)',
        without: 'Date.parse(over)',
      },
    ],
    histories: ['money that comes after the end opens its period, and needs no note'],
  },
  {
    name: 'law of the wall: a login gives free pages anew',
    fix: [
      {
        file: 'src/memberships/members/walls.ts',
        lines: 'if ((await join(wall.name, counts, memberId, visitor)) !== null) continue',
        without: 'void visitor',
      },
    ],
    histories: ['pages that were read before a login count for the account, and a merge gives none anew'],
  },
  {
    name: 'law of sales: a sale never ends',
    fix: [
      {
        file: 'src/memberships/catalogue/sales.ts',
        lines: 'until !== undefined && until <= at',
        without: 'until !== undefined && until.slice(0, 4) < at.slice(0, 4)',
      },
    ],
    histories: ['a page that was left open in a sale is not paid after its end'],
  },
  {
    name: 'law of paid time: a refunded renewal counts',
    fix: [{ file: 'src/core/access/paid-time.ts', lines: 'isPaid(due.at(-1)!) &&', without: '' }],
    histories: ['a refunded renewal adds no paid time'],
  },
  {
    name: 'law of raises: silence agrees',
    fix: [
      {
        file: 'src/memberships/raises/decide.ts',
        lines: "if (raise.needs_consent === 1 && row.agreed_at === null) return close('kept', 'silence')",
        without: '',
      },
    ],
    histories: ['silence keeps the old price where consent is needed'],
  },
  {
    name: 'law of raises: a member who leaves is told',
    fix: [
      {
        file: 'src/memberships/raises/raise-mails.ts',
        lines: "if (isLeaving(s)) return void (await raises.noticed(key, 'leaving'))",
        without: '',
      },
    ],
    histories: ['a raise tells nobody who leaves, and waits for its notice anew once the membership goes on'],
  },
  {
    name: 'law of chosen amounts: another amount is charged',
    fix: [
      {
        file: 'src/memberships/checkout/chosen-amount.ts',
        lines: ': { amount, currency, interval,',
        without: ': { amount: amount + 10, currency, interval,',
      },
    ],
    histories: ['each month charges the amount that was chosen last, through a merge'],
  },
]

const folders = [
  'src',
  'test',
  'templates',
  'config',
  'blueprints',
  'package.json',
  'tsconfig.json',
  'ava.config.js',
]

/** A fault, and the plays that must break a law with it; the law by name, where it has one. */
export interface Trial extends Pick<Fault, 'name' | 'fix'> {
  readonly law?: string
  /** Scripts of `test/simulation` with their argument. Each exits with 3 for a broken law, and prints it first. */
  readonly plays: readonly { readonly script: string; readonly argument: string }[]
}

/** The faults of the model's histories. */
export const trials: readonly Trial[] = faults.map(({ histories, ...fault }) => ({
  ...fault,
  plays: histories.map((argument) => ({ script: 'model/replay.ts', argument })),
}))

/** Plants each fault in a copy of the sources, and plays there: a law must break. Answers the faults that no law found. */
export async function findFaults(
  root: string,
  chosen: readonly Trial[],
  print: (line: string) => void,
): Promise<string[]> {
  const copy = await mkdtemp(join(root, '.without-'))
  const missed: string[] = []
  try {
    for (const folder of folders) await cp(join(root, folder), join(copy, folder), { recursive: true })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    for (const { name, fix, plays, law = '' } of chosen) {
      for (const { file, lines, without } of fix) await replaceIn(join(copy, file), lines, without)
      for (const { script, argument } of plays) {
        const broken = await replay(copy, script, argument)
        const found = broken?.find((line) => line.includes(law))
        const isFound = found !== undefined
        print(
          `${isFound ? 'found ' : 'MISSED'}  ${name}\n        ${argument}\n        ${found ?? broken?.[0] ?? ''}`,
        )
        if (!isFound) missed.push(`${name}: ${argument}`)
      }
      for (const { file } of fix) await cp(join(root, file), join(copy, file))
    }
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
  return missed
}

/** @throws Error where the fix is not there any more: then this list has to follow the code. */
async function replaceIn(path: string, lines: string, without: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  if (!text.includes(lines)) throw new Error(`${path} has no "${lines}" any more: write its fix down anew.`)
  await writeFile(path, text.replace(lines, without))
}

/** Plays in a process of its own; answers the broken laws, one in a line, or null. */
function replay(copy: string, script: string, argument: string): Promise<readonly string[] | null> {
  const file = join(copy, 'test/simulation', script)
  const child = spawn(process.execPath, ['--import=tsx', file, argument], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (part: Buffer) => {
    said += part.toString()
  })
  return new Promise((done) => child.once('exit', (code) => done(code === 3 ? said.split('\n') : null)))
}
