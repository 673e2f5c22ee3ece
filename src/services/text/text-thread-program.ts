import { parentPort } from 'node:worker_threads';
import { createTextTasks, type TextTask } from './text-tasks.ts';

/** The text thread: one task after the other, each answered by its result or its error. */
const perform = createTextTasks();

parentPort?.on('message', (task: TextTask) => {
  try {
    parentPort?.postMessage({ result: perform(task) });
  } catch (error) {
    parentPort?.postMessage({ error });
  }
});
