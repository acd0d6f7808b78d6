#!/bin/sh
# HAProxy's external check of a Galera node: succeeds when the node is in the primary component and synced, which
# mysql-check does not look at. Arguments: proxy address, proxy port, server address, server port.
state=$(timeout 2 mariadb --no-defaults -h "$3" -P "$4" -uroot --connect-timeout=1 -BNe "SELECT VARIABLE_VALUE
  FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME IN ('wsrep_local_state', 'wsrep_cluster_status')
  ORDER BY VARIABLE_NAME" 2>/dev/null | tr '\n' ' ')
[ "$state" = "Primary 4 " ]
