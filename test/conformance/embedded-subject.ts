import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Need, Rule } from '../../src/conformance/framework/rule.ts';
import { Subject } from '../../src/conformance/framework/subject.ts';
import { type RuleResult, runRules } from '../../src/conformance/runner.ts';
import type { EngineEntry } from '../../src/speech-service/api/engines.ts';
import { noFaults } from '../../src/speech-service/api/speech.ts';
import { startSpeechService } from '../../src/speech-service/server.ts';

export const KEY = 'crier_sk_for_the_conformance_suite';

export type EmbeddedSubject = Awaited<ReturnType<typeof startEmbeddedSubject>>;

interface EmbeddedOptions {
  readonly requestsPerMinute?: number;
  readonly engines?: readonly EngineEntry[];
  /** Gives the address to use in place of the service's own. */
  readonly through?: (url: string) => Promise<string>;
}

/** The embedded service, reached over its sockets. By default no rate limit is in the way. */
export async function startEmbeddedSubject(options: EmbeddedOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'crier-conformance-'));
  const { requestsPerMinute = 100_000, engines } = options;
  const service = await startSpeechService({ dataDir: folder, apiKey: KEY, requestsPerMinute, engines });
  const url = (await options.through?.(service.url)) ?? service.url;
  const stop = new AbortController();
  const faults = {
    next: (fault: keyof typeof service.faults, times: number) => {
      service.faults[fault] = times;
    },
    clear: () => void Object.assign(service.faults, noFaults()),
  };
  const subject = new Subject({ url, apiKey: KEY, signal: stop.signal, faults });
  return {
    subject,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await subject.close();
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function resultsOf(rules: readonly Rule[], subject: Subject, allowed: readonly Need[]) {
  const results: RuleResult[] = [];
  for await (const result of runRules(rules, subject, new Set(allowed))) results.push(result);
  return results;
}
