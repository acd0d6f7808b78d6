import { render } from 'preact';
import { readPreferences } from '../preferences';
import { readSession } from '../session';
import { describePage } from '../texts';
import { Options } from './options';

describePage('optionsHeading');
const [session, preferences] = await Promise.all([readSession(), readPreferences()]);
render(<Options initial={session} preferences={preferences} />, document.getElementById('main')!);
