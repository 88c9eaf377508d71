/** Drops each message of each lifecycle in turn, replays the rest, and prints the messages that nobody misses. */
import { lives } from './all.ts'
import { played } from './lifecycle.ts'
import { replay } from './replay.ts'

const only = process.argv[2]

const isMissed = async (life: (typeof lives)[number], dropped: unknown): Promise<boolean> => {
  const closing: (() => unknown)[] = []
  const steps = life.steps.map((step) => ({
    ...step,
    ...(step.sends === undefined ? {} : { sends: step.sends.filter((message) => message !== dropped) }),
  }))
  try {
    const wrong = await replay({ teardown: (close: () => unknown) => closing.push(close) } as never, {
      ...life,
      steps,
    })
    return wrong.length > 0
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

console.log('| Provider | Messages | Missed when dropped | Nobody misses |\n| --- | --- | --- | --- |')
const unnoticed: string[] = []
for (const provider of played.filter((key) => only === undefined || key === only)) {
  let [all, missed] = [0, 0]
  for (const life of lives.filter((life) => life.provider === provider))
    for (const step of life.steps)
      for (const message of step.sends ?? []) {
        // The first message sets the clock.
        if (message === life.steps[0]?.sends?.[0] && life.steps[0].sends.length === 1) continue
        all++
        if (await isMissed(life, message)) missed++
        else unnoticed.push(`${provider}: ${life.situation}: the message of ${message.at} (${step.happens})`)
      }
  console.log(`| ${provider} | ${all} | ${missed} | ${all - missed} |`)
}
for (const line of unnoticed) console.log(`- ${line}`)
process.exit(0)
