import type { HostPrompt, Question } from '../protocol/index.ts'
import type { HostLink } from './host-link.ts'
import { Reported } from './reported.ts'

const ANSWER_MS = 10_000

/** Reports of hosts about items that need a person. */
export class HostReports {
  /** Screen questions of programs. */
  readonly questions: Reported<Question>
  /** The hosts beyond all lists that confined programs ask for. */
  readonly askedHosts: Reported<HostPrompt>

  constructor(report: (sentence: string) => void) {
    const questions = async (link: HostLink) =>
      (await link.request('questions', {}, { ms: ANSWER_MS })).ok.open.map(
        ({ key, question }) => [key, question] as const,
      )
    const askedHosts = async (link: HostLink) =>
      (await link.request('askedHosts', {}, { ms: ANSWER_MS })).ok.open.map(({ key, asked }) => [key, asked] as const)
    this.questions = new Reported({ name: 'questions', ask: questions }, report)
    this.askedHosts = new Reported({ name: 'asked hosts', ask: askedHosts }, report)
  }

  follow(link: HostLink): void {
    this.questions.follow(link)
    this.askedHosts.follow(link)
  }

  drop(link: HostLink): void {
    this.questions.drop(link)
    this.askedHosts.drop(link)
  }
}
