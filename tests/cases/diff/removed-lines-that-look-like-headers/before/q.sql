select 1;
-- old remark
- old item
select 2;
