import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import { cancelControl } from '../framework/cancel.ts';
import { type Control, FOR_OWNERS } from '../framework/command.ts';
import { forgetAll } from '../privacy/forget.ts';

/** After the question; the argument is what to forget, and of whom. */
export const forgetControls: readonly Control[] = [
  {
    name: 'owner-forget',
    needs: { contexts: FOR_OWNERS },
    replyTo: 'message',
    deferred: true,
    begin({ argument, services }) {
      const [what, id = ''] = argument.split(' ');
      if (what !== 'me' && what !== 'me-and-wishes') throw new UserError(text('refused.over'));
      return () => forgetAll(services, { what, id, byOwner: true });
    },
  },
  cancelControl('owner-forget'),
];
