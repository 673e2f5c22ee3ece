import { parentPort } from 'node:worker_threads';
import { createTextTasks, type TextTask } from './text-tasks.ts';

/** The text thread: one task after the other, each answered by its result or its error. */
const perform = createTextTasks();

parentPort?.on('message', async (task: TextTask) => {
  try {
    parentPort?.postMessage({ result: await perform(task) });
  } catch (error) {
    parentPort?.postMessage({ error });
  }
});
