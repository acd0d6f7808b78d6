#!/bin/sh
# HAProxy's external check of a Group Replication member: the primary of a majority that accepts writes.
# Arguments: proxy address, proxy port, server address, server port. MYSQL_CHECK_USER has no password and no rights but SELECT on
# performance_schema.replication_group_members; HAProxy passes it on with `setenv` in its global section.
query="SELECT COUNT(*) FROM performance_schema.replication_group_members
  WHERE MEMBER_ID = @@server_uuid AND MEMBER_STATE = 'ONLINE' AND MEMBER_ROLE = 'PRIMARY' AND @@super_read_only = 0
    AND (SELECT SUM(MEMBER_STATE = 'ONLINE') * 2 > COUNT(*) FROM performance_schema.replication_group_members)"
state=$(timeout 2 mariadb --no-defaults --skip-ssl -h "$3" -P "$4" -u"${MYSQL_CHECK_USER:-root}" --connect-timeout=1 -BNe "$query" 2>/dev/null)
[ "$state" = 1 ]
