import type { JSX } from 'preact';
import type { Preferences } from '../platform/preferences';
import { t } from '../texts';
import { Dialog } from './dialog';

interface Props {
  preferences: Preferences;
  onPreferences: (preferences: Preferences) => void;
  onClose: () => void;
}

/** The list of keyboard shortcuts, and the switch for those that are a single character. */
export const HelpDialog = ({ preferences, onPreferences, onClose }: Props): JSX.Element => (
  <Dialog heading={t.help.heading} onClose={onClose}>
    <label class="check">
      <input
        type="checkbox"
        checked={preferences.shortcuts}
        onChange={(event) => onPreferences({ ...preferences, shortcuts: event.currentTarget.checked })}
      />
      {t.help.shortcuts}
    </label>
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
