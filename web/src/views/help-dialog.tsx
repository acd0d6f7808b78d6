import type { JSX } from 'preact';
import { t } from '../texts';
import { Dialog } from './dialog';

/** The list of keyboard shortcuts. */
export const HelpDialog = ({ onClose }: { onClose: () => void }): JSX.Element => (
  <Dialog heading={t.help.heading} onClose={onClose}>
    <dl class="keys">
      {Object.entries(t.help.keys).map(([keys, meaning]) => (
        <div key={keys}>
          <dt>
            {keys.split(' / ').map((key, at) => (
              <>
                {at > 0 && ' '}
                <kbd>{key}</kbd>
              </>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
