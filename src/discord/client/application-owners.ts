import { type Client, Team, TeamMemberMembershipState, TeamMemberRole } from 'discord.js';
import type { ApplicationOwners, Owners } from '../../services/spending/owners.ts';
import { render, type Text } from '../../texts/catalogue.ts';

/** The owners of the bot's application. Rejects when Discord does not tell, as before the login. */
export async function fetchApplicationOwners(client: Client): Promise<ApplicationOwners> {
  const application = await client.application?.fetch();
  const owner = application?.owner;
  if (!owner) throw new Error('Discord names no owner of the application');
  if (!(owner instanceof Team)) return { owner: owner.id, team: [] };
  const team = owner.members
    .filter((member) => member.membershipState === TeamMemberMembershipState.Accepted)
    // Read-only team members must not see the replies to the owner's commands.
    .filter((member) => member.role !== TeamMemberRole.ReadOnly)
    .map((member) => member.id);
  return { owner: owner.ownerId ?? owner.id, team };
}

/** Sends each of the owners a direct message in their language. Rejects when none of them could be reached. */
export async function writeToOwners(client: Client, owners: Owners, message: Text): Promise<void> {
  const contacts = await owners.contacts();
  const sent = await Promise.allSettled(
    contacts.map(({ userId, locale }) => client.users.send(userId, { content: render(message, locale) })),
  );
  if (sent.some(({ status }) => status === 'fulfilled')) return;
  const reasons = sent.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason as unknown] : []));
  throw new AggregateError(reasons, 'No owner could be reached: set OWNER_IDS, or allow direct messages from the bot');
}
