select 1;
++ new remark
-- new item
select 2;
