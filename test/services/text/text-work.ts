import { createTextTasks } from '../../../src/services/text/text-tasks.ts';
import type { TextWork } from '../../../src/services/text/text-thread.ts';

/** The work of the text thread without a thread, and the kinds of tasks that were handed over. */
export function workInTurn(): TextWork & { readonly handedOver: string[] } {
  const perform = createTextTasks();
  const handedOver: string[] = [];
  return {
    handedOver,
    run: async (_owner, task) => {
      handedOver.push(task.kind);
      return perform(task) as never;
    },
  };
}
