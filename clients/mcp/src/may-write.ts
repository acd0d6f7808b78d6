import { type Client, ReadingListError } from '@reading-list/client';

/** No record has this id. */
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Whether the token may write, found out by changing a record that does not exist. True if the service cannot be reached: a
 * write then says what is wrong.
 */
export async function mayWrite(client: Client): Promise<boolean> {
  try {
    await client.patch(NIL, {});
    return true;
  } catch (error) {
    return !(error instanceof ReadingListError && error.status === 403);
  }
}
