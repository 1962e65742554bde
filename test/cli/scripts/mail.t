A letter is sent, read, answered and archived.

  $ gc agent add clerk --command 'exec sleep 600'
  Agent clerk was added; give it work with `gc sling clerk "<what to do>"`.
  $ gc mail send clerk -s Report -m 'How is it going?'
  Sent to-1 to clerk.
  $ gc mail inbox clerk
  MAIL  READ  FROM   TO     AGE  SUBJECT
  to-1  new   human  clerk  * Report (glob)
  $ gc mail count clerk
  1 for clerk, 1 unread
  $ gc mail peek to-1
  mail     to-1
  from     human
  to       clerk
  sent     * (glob)
  thread   * (glob)
  subject  Report
  
  How is it going?
  $ gc mail read to-1 | head -3
  mail     to-1
  from     human
  to       clerk
  $ gc mail count clerk
  1 for clerk, 0 unread
  $ gc mail mark-unread to-1
  Message to-1 is unread.
  $ gc mail mark-read to-1
  Message to-1 is read.
  $ gc mail reply to-1 -m Fine
  Sent to-2 to human.
  $ gc mail thread to-1
  mail     to-1
  from     human
  to       clerk
  sent     * (glob)
  thread   * (glob)
  subject  Report
  
  How is it going?
  
  mail     to-2
  from     human
  to       human
  sent     * (glob)
  thread   * (glob)
  answers  to-1
  subject  Re: Report
  
  Fine
  $ gc mail list
  MAIL  READ  FROM   TO     AGE  SUBJECT
  to-2  new   human  human  * Re: Report (glob)
  $ gc mail archive to-1
  Archived to-1.
  $ gc mail delete to-2
  Message to-2 is deleted.
  $ gc mail inbox
  There is no mail for human.
  $ gc mail read to-1
  gc: message to-1 does not exist, or was archived; `gc mail list --all` lists valid names
  [1]

A check ends with a status that says whether there is unread mail; with --inject it always succeeds.

  $ gc mail check clerk
  [1]
  $ gc mail check clerk --inject
