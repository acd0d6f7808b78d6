import { render } from 'preact';
import { openList, readSession } from '../session';
import { keepLost } from '../lost';
import { POPUP } from '../messages';
import { describePage, t } from '../texts';
import { Popup } from './popup';

describePage('name');
const session = await readSession();
const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
const main = document.getElementById('main')!;
if (session) {
  chrome.runtime.connect({ name: POPUP });
  const list = await openList(session);
  keepLost(list);
  list.start();
  render(<Popup list={list} tab={tab} service={session.service} />, main);
} else {
  render(
    <>
      <h1>{t('name')}</h1>
      <p>{t('setUp')}</p>
      <button type="button" class="primary" onClick={() => void chrome.runtime.openOptionsPage()}>
        {t('openSettings')}
      </button>
    </>,
    main,
  );
}
